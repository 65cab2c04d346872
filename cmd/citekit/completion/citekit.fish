# fish completion for citekit

function __citekit_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l lines (citekit __complete -- $words[2..] 2>/dev/null)
	set -l kind $lines[1]
	set -e lines[1]
	printf '%s\n' $lines
	switch "$kind"
		case files
			__fish_complete_path (commandline -ct)
		case directories
			__fish_complete_directories (commandline -ct)
	end
end

complete -c citekit -f -a '(__citekit_complete)'
