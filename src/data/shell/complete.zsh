            local raw=
            if [[ ${words[CURRENT]} != [\"\']* ]]; then
                raw=-Q
                local quoted=${(q)value}
                quoted=${quoted/#\\\~/\~}
                # _describe takes a backslash for an escape of its own.
                quoted=${quoted//\\/\\\\}
                completion=$quoted${completion#$value}
                value=$quoted
            fi
