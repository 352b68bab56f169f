# slosh as tmux's screensaver. In ~/.tmux.conf: source-file, or run: slosh init tmux >> ~/.tmux.conf
set-option -g lock-after-time @SECONDS@
set-option -g lock-command '@COMMAND@'
