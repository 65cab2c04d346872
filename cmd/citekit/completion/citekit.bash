# bash completion for citekit

_citekit() {
	local line first=1 IFS=$'\n'
	COMPREPLY=()
	while read -r line; do
		if [[ $first ]]; then
			first=
			[[ $line == files ]] && compopt -o default
			[[ $line == directories ]] && compopt -o dirnames
			continue
		fi
		COMPREPLY+=("$(printf '%q' "$line")")
	done < <(citekit __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[./] ]] && compopt -o nospace
}

complete -F _citekit citekit
