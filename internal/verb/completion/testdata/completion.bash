# bash completion for usher: source <(usher completion bash)
_usher() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev= stem= subs= flags= i word verb at=1
  local -a words=()
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $cur == --*=* ]]; then stem=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=}
  fi
  case $prev in
    --enable) COMPREPLY=($(compgen -P "$stem" -W 'react-devtools' -- "$cur")); return ;;
    --color-scheme) COMPREPLY=($(compgen -P "$stem" -W 'dark light no-preference' -- "$cur")); return ;;
    --reduced-motion) COMPREPLY=($(compgen -P "$stem" -W 'reduce no-preference default' -- "$cur")); return ;;
    --forced-colors) COMPREPLY=($(compgen -P "$stem" -W 'active none default' -- "$cur")); return ;;
    --contrast) COMPREPLY=($(compgen -P "$stem" -W 'more less custom no-preference default' -- "$cur")); return ;;
    --media) COMPREPLY=($(compgen -P "$stem" -W 'print screen default' -- "$cur")); return ;;
    --input-mode) COMPREPLY=($(compgen -P "$stem" -W 'instant smooth human' -- "$cur")); return ;;
    --screenshot-format) COMPREPLY=($(compgen -P "$stem" -W 'png jpeg webp' -- "$cur")); return ;;
    --dialog-policy) COMPREPLY=($(compgen -P "$stem" -W 'must_respond auto_dismiss auto_accept' -- "$cur")); return ;;
    --dialog-bridge) COMPREPLY=($(compgen -P "$stem" -W 'auto on off' -- "$cur")); return ;;
    --search-provider) COMPREPLY=($(compgen -P "$stem" -W 'brave tavily exa searxng' -- "$cur")); return ;;
    --engine) COMPREPLY=($(compgen -P "$stem" -W 'chrome lightpanda obscura' -- "$cur")); return ;;
    --browser) COMPREPLY=($(compgen -P "$stem" -W 'new mine try' -- "$cur")); return ;;
    --cdp-clients) COMPREPLY=($(compgen -P "$stem" -W 'multi-client single-active' -- "$cur")); return ;;
    --restore-save) COMPREPLY=($(compgen -P "$stem" -W 'auto always never' -- "$cur")); return ;;
    --state-encryption) COMPREPLY=($(compgen -P "$stem" -W 'auto keyring off' -- "$cur")); return ;;
    --wait-until) COMPREPLY=($(compgen -P "$stem" -W 'load domcontentloaded networkidle' -- "$cur")); return ;;
    --changes) COMPREPLY=($(compgen -P "$stem" -W 'none delta full' -- "$cur")); return ;;
    --button) COMPREPLY=($(compgen -P "$stem" -W 'left right middle' -- "$cur")); return ;;
    --llms) COMPREPLY=($(compgen -P "$stem" -W 'index full' -- "$cur")); return ;;
    --load) COMPREPLY=($(compgen -P "$stem" -W 'load domcontentloaded networkidle' -- "$cur")); return ;;
    --content) COMPREPLY=($(compgen -P "$stem" -W 'text all none' -- "$cur")); return ;;
    --not-found) COMPREPLY=($(compgen -P "$stem" -W 'continue abort' -- "$cur")); return ;;
    --scope) COMPREPLY=($(compgen -P "$stem" -W 'worktree cwd git-root' -- "$cur")); return ;;
    --tools) COMPREPLY=($(compgen -P "$stem" -W 'core network state debug tabs react mobile webmcp all' -- "$cur")); return ;;
    --results) COMPREPLY=($(compgen -P "$stem" -W 'both text structured' -- "$cur")); return ;;
    --images) COMPREPLY=($(compgen -P "$stem" -W 'show ask' -- "$cur")); return ;;
    --client) COMPREPLY=($(compgen -P "$stem" -W 'claude claude-desktop codex cursor vscode windsurf gemini zed' -- "$cur")); return ;;
    --same-site) COMPREPLY=($(compgen -P "$stem" -W 'Strict Lax None' -- "$cur")); return ;;
    --target) COMPREPLY=($(compgen -P "$stem" -W 'usher playwright' -- "$cur")); return ;;
    --target-type) COMPREPLY=($(compgen -P "$stem" -W 'page webview any' -- "$cur")); return ;;
    --executable-path|--extension|--init-script|--ca-cert|--download-path|--upload-root|--screenshot-dir|--blocked-sites-file|--action-policy|--profile|--state|--record|--config|--download|--curl|--file|--baseline|--output) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")); return ;;
    --session|--namespace|--timeout|--args|--user-agent|--headers|--extra-headers|--proxy|--proxy-bypass|--timezone|--locale|--geolocation|--viewport|--device|--screen|--screenshot-quality|--dialog-timeout|--dialog-rules|--on-dialog|--permissions|--credentials|--blocked-sites|--allowed-domains|--confirm-actions|--max-output|--cdp|--cdp-headers|--provider|--relay-port|--cdp-port|--restore|--session-name|--restore-check-url|--restore-check-text|--restore-check-fn|--autosave-interval|--share|--idle-timeout|--depth|--selector|--find|--budget|--frame|--threshold|--count|--modifiers|--at|--delay|--hold|--by|--name|--base64|--filter|--text|--url|--fn|--duration|--steps|--seed|--label|--username|--password|--since|--types|--tab|--type|--method|--status|--body|--content-type|--header|--remove-header|--allow-origin|--resource-type|--max-files|--limit|--char-limit|--code|--keep|--prefix|--ref|--platform|--toolsets|--port|--domain|--path|--expires|--partition-key|--older-than|--totp-secret|--username-selector|--password-selector|--submit-selector|--check-url|--check-text|--credential-provider|--item|--fps|--contact-sheet-threshold|--tags|--categories|--allowed-origins|--model|--react-id|--component|--capability|--payload|--params|--app|--app-arg|--allow|--deny|--user-prompt) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      --enable|--color-scheme|--reduced-motion|--forced-colors|--contrast|--media|--input-mode|--screenshot-format|--dialog-policy|--dialog-bridge|--search-provider|--engine|--browser|--cdp-clients|--restore-save|--state-encryption|--wait-until|--changes|--button|--llms|--load|--content|--not-found|--scope|--tools|--results|--images|--client|--same-site|--target|--target-type|--executable-path|--extension|--init-script|--ca-cert|--download-path|--upload-root|--screenshot-dir|--blocked-sites-file|--action-policy|--profile|--state|--record|--config|--download|--curl|--file|--baseline|--output|--session|--namespace|--timeout|--args|--user-agent|--headers|--extra-headers|--proxy|--proxy-bypass|--timezone|--locale|--geolocation|--viewport|--device|--screen|--screenshot-quality|--dialog-timeout|--dialog-rules|--on-dialog|--permissions|--credentials|--blocked-sites|--allowed-domains|--confirm-actions|--max-output|--cdp|--cdp-headers|--provider|--relay-port|--cdp-port|--restore|--session-name|--restore-check-url|--restore-check-text|--restore-check-fn|--autosave-interval|--share|--idle-timeout|--depth|--selector|--find|--budget|--frame|--threshold|--count|--modifiers|--at|--delay|--hold|--by|--name|--base64|--filter|--text|--url|--fn|--duration|--steps|--seed|--label|--username|--password|--since|--types|--tab|--type|--method|--status|--body|--content-type|--header|--remove-header|--allow-origin|--resource-type|--max-files|--limit|--char-limit|--code|--keep|--prefix|--ref|--platform|--toolsets|--port|--domain|--path|--expires|--partition-key|--older-than|--totp-secret|--username-selector|--password-selector|--submit-selector|--check-url|--check-text|--credential-provider|--item|--fps|--contact-sheet-threshold|--tags|--categories|--allowed-origins|--model|--react-id|--component|--capability|--payload|--params|--app|--app-arg|--allow|--deny|--user-prompt) ((i++)); [[ ${COMP_WORDS[i]} == = ]] && ((i++)) ;;
      -*) ;;
      *) words+=("$word") ;;
    esac
  done
  [[ ${words[0]} == help ]] && ((${#words[@]} > 1)) && words=("${words[@]:1}") at=0
  local globals='--session --namespace --json --timeout --headed --executable-path --args --extension --user-agent --headers --extra-headers --init-script --enable --proxy --proxy-bypass --ignore-https-errors --ca-cert --no-ca-cert --use-system-ca --strict --allow-file-access --color-scheme --reduced-motion --forced-colors --contrast --media --timezone --locale --geolocation --viewport --device --screen --mobile --touch --hide-scrollbars --webgpu --no-webmcp --download-path --input-mode --upload-root --screenshot-dir --screenshot-format --screenshot-quality --annotate --dialog-policy --dialog-timeout --dialog-rules --on-dialog --permissions --credentials --no-auto-dialog --dialog-bridge --site-guard --allow-private-urls --blocked-sites --blocked-sites-file --blocklist --allowed-domains --action-policy --confirm-actions --confirm-interactive --content-boundaries --max-output --search-provider --cdp --cdp-headers --provider --engine --browser --relay-port --cdp-port --cdp-clients --auto-connect --pin-tab --no-pin-tab --profile --state --restore --session-name --restore-save --restore-check-url --restore-check-text --restore-check-fn --autosave-interval --state-encryption --record --stealth --isolate --share --auto-recover --idle-timeout --config --debug --help --version'
  verb=${words[0]}
  case $verb in
    open|goto|navigate) subs='' flags='--snapshot --wait-until' ;;
    back) subs='' flags='--changes' ;;
    forward) subs='' flags='--changes' ;;
    reload) subs='' flags='--changes' ;;
    close|quit|exit) subs='' flags='--all --kill' ;;
    snapshot) subs='' flags='--interactive --compact --depth --selector --urls --delta --full --find --budget --frame' ;;
    screenshot) subs='' flags='--full --if-changed --threshold' ;;
    click) subs='' flags='--new-tab --button --count --human --modifiers --at --frame --changes' ;;
    dblclick) subs='' flags='--at --frame --changes' ;;
    hover) subs='' flags='--at --frame --changes' ;;
    focus) subs='' flags='--frame --changes' ;;
    fill) subs='' flags='--frame --changes' ;;
    type) subs='' flags='--clear --delay --frame --changes' ;;
    press|key) subs='' flags='--changes' ;;
    check) subs='' flags='--frame --changes' ;;
    uncheck) subs='' flags='--frame --changes' ;;
    select) subs='' flags='--frame --changes' ;;
    drag) subs='' flags='--hold --at --by --human --frame --changes' ;;
    scroll) subs='' flags='--selector --frame --changes' ;;
    scrollintoview|scrollinto) subs='' flags='--frame --changes' ;;
    upload) subs='' flags='--frame --changes' ;;
    drop) subs='' flags='--frame --changes' ;;
    download) subs='' flags='--frame --changes' ;;
    find) subs='role text label placeholder alt title testid first last nth' flags='--name --exact --frame --changes' ;;
    get) subs='text html value attr count box styles title url cdp-url' flags='--frame' ;;
    is) subs='visible enabled checked' flags='--frame' ;;
    eval) subs='' flags='--base64 --stdin --frame' ;;
    read) subs='page url' flags='--raw --require-md --llms --outline --filter --frame' ;;
    wait) subs='' flags='--state --text --url --load --fn --download --frame --changes' ;;
    tap) subs='' flags='--frame --changes' ;;
    swipe) subs='' flags='--selector --frame --changes' ;;
    keyboard) subs='type inserttext' flags='--changes' ;;
    keydown) subs='' flags='--changes' ;;
    keyup) subs='' flags='--changes' ;;
    mouse) subs='move down up wheel' flags='--duration --steps --human --seed --changes' ;;
    clipboard) subs='read write copy paste' flags='--changes' ;;
    tab) subs='list new switch label interrupt close' flags='--label --changes --remove' ;;
    window) subs='new' flags='' ;;
    frame) subs='switch list' flags='' ;;
    dialog) subs='accept dismiss status policy rule' flags='--changes' ;;
    interrupt) subs='list answer' flags='--all --username --password --password-stdin --changes' ;;
    status) subs='' flags='--all-frames' ;;
    console) subs='' flags='--clear --page' ;;
    errors) subs='' flags='--clear --page' ;;
    events) subs='' flags='--follow --since --types --tab' ;;
    network) subs='requests request route unroute har throttle source' flags='--clear --filter --type --method --status --page --origin --abort --body --content-type --header --remove-header --delay --allow-origin --resource-type --content --not-found --url --max-files' ;;
    set) subs='viewport device devices geo offline headers credentials media timezone locale useragent permissions' flags='' ;;
    device) subs='list' flags='' ;;
    web) subs='search extract' flags='--limit --char-limit' ;;
    cdp) subs='' flags='--frame --tab --browser-target' ;;
    batch) subs='' flags='--bail --omit-command' ;;
    run) subs='' flags='--code --tab --playwright --keep --reset' ;;
    session) subs='list info id' flags='--scope --prefix' ;;
    skills) subs='list get path' flags='--full --ref --all' ;;
    mcp) subs='serve call http install' flags='--platform --toolsets --tools --results --images --port --stop --client --project --print' ;;
    tools) subs='list show trust enable disable' flags='--platform --toolsets --all' ;;
    cookies) subs='get set delete clear' flags='--url --all --domain --path --http-only --secure --same-site --expires --partition-key --curl' ;;
    storage) subs='local session' flags='--frame' ;;
    state) subs='save load list show rename clear clean' flags='--all --older-than' ;;
    auth) subs='save login list show delete' flags='--url --username --password --password-stdin --totp-secret --username-selector --password-selector --submit-selector --check-url --check-text --no-navigate --credential-provider --item' ;;
    addinitscript) subs='' flags='--file --stdin' ;;
    generate-locator) subs='' flags='--frame' ;;
    highlight) subs='' flags='--off --frame' ;;
    record) subs='start stop restart chapter' flags='--fps --cursor --captions --contact-sheet --contact-sheet-threshold' ;;
    diff) subs='snapshot screenshot url' flags='--baseline --selector --interactive --compact --depth --frame --output --threshold --full --screenshot --wait-until' ;;
    vitals|web-vitals) subs='' flags='--reload' ;;
    a11y) subs='' flags='--tags --selector' ;;
    inspect) subs='' flags='--serve --stop' ;;
    trace) subs='start stop' flags='' ;;
    profiler) subs='start stop' flags='--categories' ;;
    stream) subs='enable disable status' flags='--port' ;;
    dashboard) subs='start stop' flags='--port --allowed-origins' ;;
    chat) subs='' flags='--model --verbose --quiet' ;;
    codegen) subs='start follow stop' flags='--output --target' ;;
    react) subs='tree inspect renders suspense' flags='--components --depth --limit --frame --only-dynamic' ;;
    source) subs='lookup' flags='--selector --react-id --component --no-dom-hints --max-files --frame' ;;
    plugin) subs='add list show run' flags='--name --capability --project --no-manifest --payload' ;;
    webmcp) subs='list invoke result cancel' flags='--frame --params --detach' ;;
    connect) subs='' flags='--app --app-arg' ;;
    relay) subs='start stop status' flags='--single-active' ;;
    extension) subs='doctor try pair install path' flags='--headless' ;;
    app) subs='list launch status probe cleanup' flags='--limit --by --target-type --allow --deny --all' ;;
    replay) subs='' flags='--at --events' ;;
    agent-tool) subs='' flags='--client --user-prompt --release' ;;
    doctor) subs='' flags='--offline --quick --fix' ;;
    install) subs='' flags='--with-deps' ;;
    upgrade) subs='' flags='--check' ;;
    config) subs='schema' flags='' ;;
    help) subs='open goto navigate back forward reload close quit exit snapshot screenshot pdf click dblclick hover focus fill type press key check uncheck select drag scroll scrollintoview scrollinto upload drop download downloads find get is eval read wait tap swipe keyboard keydown keyup mouse clipboard tab window frame frame tree dialog interrupt status console errors events network set device set geolocation set auth set user-agent web cdp batch run confirm deny session skills mcp tools cookies cookies list storage state auth auth remove addinitscript removeinitscript initscripts generate-locator pushstate highlight record diff vitals web-vitals a11y inspect trace profiler stream dashboard chat codegen react source plugin webmcp connect relay extension app profiles replay agent-tool doctor install upgrade config completion help version flags config policy selectors daemon' flags='' ;;
    daemon) subs='status stop run' flags='' ;;
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -P "$stem" -W "$flags $globals" -- "$cur")); return
  elif ((${#words[@]} == 0)); then COMPREPLY=($(compgen -P "$stem" -W 'open goto navigate back forward reload close quit exit snapshot screenshot pdf click dblclick hover focus fill type press key check uncheck select drag scroll scrollintoview scrollinto upload drop download downloads find get is eval read wait tap swipe keyboard keydown keyup mouse clipboard tab window frame dialog interrupt status console errors events network set device web cdp batch run confirm deny session skills mcp tools cookies storage state auth addinitscript removeinitscript initscripts generate-locator pushstate highlight record diff vitals web-vitals a11y inspect trace profiler stream dashboard chat codegen react source plugin webmcp connect relay extension app profiles replay agent-tool doctor install upgrade config completion help version daemon' -- "$cur")); return
  elif ((${#words[@]} == 1)) && [[ -n $subs ]]; then COMPREPLY=($(compgen -P "$stem" -W "$subs" -- "$cur")); return
  elif ((at == 0)); then return
  elif [[ -n $subs ]]; then verb+=" ${words[1]}" at=2
  fi
  case $verb:$((${#words[@]} - at)) in
    'screenshot:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'screenshot:'1) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'pdf:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'scroll:'0) COMPREPLY=($(compgen -P "$stem" -W 'up down left right' -- "$cur")) ;;
    'upload:'[1-9]*) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'drop:'[1-9]*) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'download:'1) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'find role:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find text:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find label:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find placeholder:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find alt:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find title:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find testid:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find first:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find last:'1) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'find nth:'2) COMPREPLY=($(compgen -P "$stem" -W 'click fill check hover text dblclick type uncheck focus select' -- "$cur")) ;;
    'swipe:'0) COMPREPLY=($(compgen -P "$stem" -W 'up down left right' -- "$cur")) ;;
    'mouse down:'0) COMPREPLY=($(compgen -P "$stem" -W 'left right middle' -- "$cur")) ;;
    'mouse up:'0) COMPREPLY=($(compgen -P "$stem" -W 'left right middle' -- "$cur")) ;;
    'dialog policy:'0) COMPREPLY=($(compgen -P "$stem" -W 'must_respond auto_dismiss auto_accept' -- "$cur")) ;;
    'dialog rule:'0) COMPREPLY=($(compgen -P "$stem" -W 'list add remove' -- "$cur")) ;;
    'network har:'0) COMPREPLY=($(compgen -P "$stem" -W 'start stop replay' -- "$cur")) ;;
    'network har:'1) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'network throttle:'0) COMPREPLY=($(compgen -P "$stem" -W 'slow-3g fast-3g 4g offline off' -- "$cur")) ;;
    'set offline:'0) COMPREPLY=($(compgen -P "$stem" -W 'on off' -- "$cur")) ;;
    'state save:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'state load:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'state show:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'state rename:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'record start:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'record restart:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'trace stop:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'profiler stop:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'react renders:'0) COMPREPLY=($(compgen -P "$stem" -W 'start stop' -- "$cur")) ;;
    'replay:'0) COMPREPLY=($(compgen -P "$stem" -f -- "$cur")) ;;
    'completion:'0) COMPREPLY=($(compgen -P "$stem" -W 'bash zsh fish powershell' -- "$cur")) ;;
  esac
}
complete -F _usher usher
