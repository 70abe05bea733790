# bash completion for usher: source <(usher completion bash)
_usher() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev= first= next= flags= i word
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case $prev in
    --color-scheme) COMPREPLY=($(compgen -W 'dark light no-preference' -- "$cur")); return ;;
    --screenshot-format) COMPREPLY=($(compgen -W 'png jpeg webp' -- "$cur")); return ;;
    --dialog-policy) COMPREPLY=($(compgen -W 'must_respond auto_dismiss auto_accept' -- "$cur")); return ;;
    --state) COMPREPLY=($(compgen -W 'visible hidden attached detached' -- "$cur")); return ;;
    --load) COMPREPLY=($(compgen -W 'load domcontentloaded networkidle' -- "$cur")); return ;;
    --scope) COMPREPLY=($(compgen -W 'worktree cwd git-root' -- "$cur")); return ;;
    --executable-path|--download-path|--screenshot-dir|--profile|--config|--download) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --session|--namespace|--timeout|--args|--user-agent|--headers|--proxy|--proxy-bypass|--viewport|--screenshot-quality|--cdp|--share|--idle-timeout|--depth|--selector|--delay|--name|--base64|--text|--url|--fn|--duration|--steps|--label|--filter|--type|--method|--status|--prefix) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      --color-scheme|--screenshot-format|--dialog-policy|--state|--load|--scope|--executable-path|--download-path|--screenshot-dir|--profile|--config|--download|--session|--namespace|--timeout|--args|--user-agent|--headers|--proxy|--proxy-bypass|--viewport|--screenshot-quality|--cdp|--share|--idle-timeout|--depth|--selector|--delay|--name|--base64|--text|--url|--fn|--duration|--steps|--label|--filter|--type|--method|--status|--prefix) ((i++)) ;;
      -*) ;;
      *) if [[ -z $first ]]; then first=$word; elif [[ -z $next ]]; then next=$word; fi ;;
    esac
  done
  local globals='--session --namespace --json --timeout --headed --executable-path --args --user-agent --headers --proxy --proxy-bypass --ignore-https-errors --allow-file-access --color-scheme --viewport --hide-scrollbars --download-path --screenshot-dir --screenshot-format --screenshot-quality --annotate --dialog-policy --cdp --auto-connect --profile --isolate --share --auto-recover --idle-timeout --config --debug --help --version' subs=
  case $first in
    close|quit|exit) subs='' flags='--all' ;;
    snapshot) subs='' flags='--interactive --compact --depth --selector --urls' ;;
    screenshot) subs='' flags='--full' ;;
    click) subs='' flags='--new-tab' ;;
    type) subs='' flags='--clear --delay' ;;
    scroll) subs='up down left right' flags='--selector' ;;
    find) subs='role text label placeholder alt title testid first last nth' flags='--name --exact' ;;
    get) subs='text html value attr count box styles title url cdp-url' flags='' ;;
    is) subs='visible enabled checked' flags='' ;;
    eval) subs='' flags='--base64 --stdin' ;;
    wait) subs='' flags='--state --text --url --load --fn --download' ;;
    keyboard) subs='type inserttext' flags='' ;;
    mouse) subs='move down up wheel' flags='--duration --steps' ;;
    tab) subs='list new switch close' flags='--label' ;;
    window) subs='new' flags='' ;;
    dialog) subs='accept dismiss status' flags='' ;;
    console) subs='' flags='--clear' ;;
    errors) subs='' flags='--clear' ;;
    network) subs='requests request' flags='--clear --filter --type --method --status' ;;
    batch) subs='' flags='--bail --omit-command' ;;
    session) subs='list info id' flags='--scope --prefix' ;;
    doctor) subs='' flags='--offline --quick --fix' ;;
    install) subs='' flags='--with-deps' ;;
    completion) subs='bash zsh fish powershell' flags='' ;;
    help) subs='open goto navigate back forward reload close quit exit snapshot screenshot pdf click dblclick hover focus fill type press key check uncheck select drag upload download scroll scrollintoview scrollinto find get is eval wait keyboard keydown keyup mouse tab window frame dialog console errors network batch session doctor install completion help version' flags='' ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags $globals" -- "$cur"))
  elif [[ -z $first ]]; then
    COMPREPLY=($(compgen -W 'open goto navigate back forward reload close quit exit snapshot screenshot pdf click dblclick hover focus fill type press key check uncheck select drag upload download scroll scrollintoview scrollinto find get is eval wait keyboard keydown keyup mouse tab window frame dialog console errors network batch session doctor install completion help version' -- "$cur"))
  elif [[ -z $next && -n $subs ]]; then
    COMPREPLY=($(compgen -W "$subs" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _usher usher
