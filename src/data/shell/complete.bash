_slosh() {
    local words=() index=0 number word last=-1
    for ((number = 0; number < ${#COMP_WORDS[@]}; number++)); do
        word=${COMP_WORDS[number]}
        if ((last > 0)) && [[ ($word == '=' && ${words[last]} == --*) || ${words[last]} == --*= ]]; then
            words[last]+=$word
        else
            words[++last]=$word
        fi
        ((number == COMP_CWORD)) && index=$last
    done
    local current=$2
    [[ ${words[index]} != --*=* ]] || current=${words[index]}
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$index
    _clap_complete_slosh "$1" "$current" "$3"
    for number in "${!COMPREPLY[@]}"; do
        word=${COMPREPLY[number]}
        [[ $current != --*=* ]] || word=${word#"${current%%=*}="}
        if [[ ${words[index]} != [\"\']* ]]; then
            printf -v word %q "$word"
            word=${word/#'\~'/'~'}
            word=${word//'\,'/,}
        fi
        COMPREPLY[number]=$word
    done
}
complete -o nospace -o bashdefault -F _slosh slosh
