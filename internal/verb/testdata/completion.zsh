#compdef usher
# zsh completion for usher: source <(usher completion zsh)
_usher() {
  local first= next= word i
  local -a commands subs flags globals
  case $words[CURRENT-1] in
    --color-scheme) compadd -- dark light no-preference; return ;;
    --screenshot-format) compadd -- png jpeg webp; return ;;
    --dialog-policy) compadd -- must_respond auto_dismiss auto_accept; return ;;
    --dialog-bridge) compadd -- auto on off; return ;;
    --search-provider) compadd -- brave tavily exa searxng; return ;;
    --changes) compadd -- none delta full; return ;;
    --button) compadd -- left right middle; return ;;
    --state) compadd -- visible hidden attached detached; return ;;
    --load) compadd -- load domcontentloaded networkidle; return ;;
    --scope) compadd -- worktree cwd git-root; return ;;
    --results) compadd -- both text structured; return ;;
    --images) compadd -- show ask; return ;;
    --client) compadd -- claude claude-desktop codex cursor vscode windsurf gemini zed; return ;;
    --executable-path|--download-path|--upload-root|--screenshot-dir|--blocked-sites-file|--profile|--record|--config|--download) _files; return ;;
    --session|--namespace|--timeout|--args|--user-agent|--headers|--proxy|--proxy-bypass|--viewport|--screenshot-quality|--dialog-timeout|--dialog-rules|--on-dialog|--permissions|--credentials|--blocked-sites|--cdp|--cdp-port|--share|--idle-timeout|--depth|--selector|--find|--budget|--frame|--count|--modifiers|--at|--delay|--hold|--name|--base64|--text|--url|--fn|--duration|--steps|--label|--username|--password|--since|--types|--tab|--filter|--type|--method|--status|--limit|--char-limit|--prefix|--platform|--toolsets|--port) return ;;
  esac
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      --color-scheme|--screenshot-format|--dialog-policy|--dialog-bridge|--search-provider|--changes|--button|--state|--load|--scope|--results|--images|--client|--executable-path|--download-path|--upload-root|--screenshot-dir|--blocked-sites-file|--profile|--record|--config|--download|--session|--namespace|--timeout|--args|--user-agent|--headers|--proxy|--proxy-bypass|--viewport|--screenshot-quality|--dialog-timeout|--dialog-rules|--on-dialog|--permissions|--credentials|--blocked-sites|--cdp|--cdp-port|--share|--idle-timeout|--depth|--selector|--find|--budget|--frame|--count|--modifiers|--at|--delay|--hold|--name|--base64|--text|--url|--fn|--duration|--steps|--label|--username|--password|--since|--types|--tab|--filter|--type|--method|--status|--limit|--char-limit|--prefix|--platform|--toolsets|--port) ((i++)) ;;
      -*) ;;
      *) if [[ -z $first ]]; then first=$word; elif [[ -z $next ]]; then next=$word; fi ;;
    esac
  done
  globals=(
    '--session:which browser session to use; each has its own tabs, cookies and refs'
    '--namespace:a separate set of session names'
    '--json:print one JSON envelope instead of text'
    '--timeout:how long this command may take'
    '--headed:show the browser'\''s window, on the display of the shell that starts it'
    '--executable-path:the browser to start'
    '--args:extra switches for the browser; may be repeated, or several at once split by line ends or by a comma before --'
    '--user-agent:the User-Agent header and navigator.userAgent'
    '--headers:extra request headers as a JSON object, sent to the origin that is opened'
    '--proxy:proxy server of the browser; credentials in the URL answer its authentication and appear on no command line'
    '--proxy-bypass:hosts that are reached without the proxy, split by commas'
    '--ignore-https-errors:accept certificates that do not verify'
    '--allow-file-access:let file:// pages read other files'
    '--color-scheme:the prefers-color-scheme of pages'
    '--viewport:size of the page in CSS pixels'
    '--hide-scrollbars:hide scrollbars in screenshots'
    '--download-path:where downloads are kept'
    '--upload-root:the only directories from which files may be uploaded; default: working, home and temporary directory without hidden files'
    '--screenshot-dir:where screenshots without a path are kept'
    '--screenshot-format:format of screenshots whose path has no known extension'
    '--screenshot-quality:quality of jpeg and webp screenshots'
    '--annotate:screenshot: draw the refs on the picture and list them'
    '--dialog-policy:what happens to an alert, confirm or prompt that a page opens'
    '--dialog-timeout:dismiss an unanswered dialog after this time; 5 minutes if not set'
    '--dialog-rules:rules that answer dialogs before the policy does (help dialog rule); may be repeated'
    '--on-dialog:accept, accept=text, dismiss or ask: the answer to dialogs that this command opens in its tab'
    '--permissions:permission policies: camera=allow,microphone=deny,geolocation=ask, or allow, deny, ask or browser for all others; by default the browser decides, and headless it denies'
    '--credentials:credentials for HTTP and proxy authentication, for matching origins (https://*.example.com) or for all; may be repeated; safer in the environment or a file than on a command line'
    '--no-auto-dialog:the same as --dialog-policy must_respond'
    '--dialog-bridge:intercept alert, confirm and prompt before another CDP client or a proxy answers them; auto: once that has happened'
    '--site-guard:open and read safe addresses only: no cloud metadata, secrets in URLs, debugging ports, blocked sites, or internal networks of a remote browser; redact secrets in page content'
    '--allow-private-urls:site guard: allow addresses of internal networks; cloud metadata stays refused'
    '--blocked-sites:site guard: hosts (with subdomains), *.example.com, IP addresses or ranges (10.0.0.0/8) to refuse, split by commas; enables the guard'
    '--blocked-sites-file:files with blocked sites, one per line; an unreadable file blocks every address'
    '--blocklist:apply the blocked sites'
    '--search-provider:the engine that web search asks; without it the first whose key is in the environment'
    '--cdp:use the running browser at this debugging port or address'
    '--cdp-port:open a debugging port on 127.0.0.1 for other programs, 0 for a free one: every user and program of this machine can then read all cookies and pages of this browser, and your files; see get cdp-url'
    '--auto-connect:find a running browser with debugging switched on and use it'
    '--profile:keep the browser'\''s profile in this directory'
    '--record:write all CDP messages, secrets included, to this new file (see replay)'
    '--stealth:observe pages without detection: console messages as text only, errors without stack (see doctor --stealth)'
    '--isolate:give the session a browser process of its own'
    '--share:how many sessions with equal options may live in one browser process'
    '--auto-recover:reopen the last address when the browser has crashed'
    '--idle-timeout:close the session after this long without a command; 0 means never'
    '--config:read this configuration file in place of the usual ones'
    '--debug:write what the daemon does to its log'
    '--help:help for the command'
    '--version:the version'
  )
  case $first in
    open|goto|navigate)
      subs=()
      flags=(
        '--snapshot:also print the page, with refs to act on') ;;
    back)
      subs=()
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    forward)
      subs=()
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    reload)
      subs=()
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    close|quit|exit)
      subs=()
      flags=(
        '--all:end every session') ;;
    snapshot)
      subs=()
      flags=(
        '--interactive:only what can be acted on, and headings and table cells'
        '--compact:leave out containers that hold neither text nor a ref'
        '--depth:only this many levels; what was cut is marked'
        '--selector:only this element and what is in it'
        '--urls:add the address to every link'
        '--delta:only what changed since the last snapshot with the same options'
        '--find:only the lines that hold these words, with the lines they are in and those around them'
        '--budget:at most so many tokens: what matters most, the rest counted'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page') ;;
    screenshot)
      subs=()
      flags=(
        '--full:the whole page, not only what is in view') ;;
    click)
      subs=()
      flags=(
        '--new-tab:open the link in a new tab'
        '--button:which button of the mouse'
        '--count:how often: 2 is a double click'
        '--modifiers:keys that are held meanwhile, joined by +: Control+Shift'
        '--at:where, in CSS pixels from the top left of the element; in place of an element, of the viewport'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    dblclick)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    hover)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    focus)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    fill)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    type)
      subs=()
      flags=(
        '--clear:empty the field first'
        '--delay:pause between keys'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    press|key)
      subs=()
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    check)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    uncheck)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    select)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    drag)
      subs=()
      flags=(
        '--hold:how long to hold still before moving, for lists that wait for a long press'
        '--at:where to let go, in CSS pixels from the top left of the target; without a target, of the viewport'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    upload)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    download)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    scroll)
      subs=(up down left right)
      flags=(
        '--selector:scroll inside this element'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    scrollintoview|scrollinto)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    find)
      subs=(role text label placeholder alt title testid first last nth)
      flags=(
        '--name:only an element whose accessible name contains this'
        '--exact:the whole text, in the same case'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    get)
      subs=(text html value attr count box styles title url cdp-url)
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page') ;;
    is)
      subs=(visible enabled checked)
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page') ;;
    eval)
      subs=()
      flags=(
        '--base64:the script in base64, safe from every shell'
        '--stdin:read the script from standard input'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page') ;;
    wait)
      subs=()
      flags=(
        '--state:the state in which the element is awaited'
        '--text:wait until the page shows this text'
        '--url:wait until the address matches'
        '--load:wait until the page has come this far'
        '--fn:wait until this expression is true'
        '--download:wait for a download, and move it here when a path is given'
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    keyboard)
      subs=(type inserttext)
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    keydown)
      subs=()
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    keyup)
      subs=()
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    mouse)
      subs=(move down up wheel)
      flags=(
        '--duration:how long the way takes; 150 ms for several steps when left out'
        '--steps:how many moves the way is made of'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    tab)
      subs=(list new switch interrupt close)
      flags=(
        '--label:a name for the tab, to switch to it by'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    window)
      subs=(new)
      flags=() ;;
    frame)
      subs=(switch list)
      flags=() ;;
    dialog)
      subs=(accept dismiss status policy rule)
      flags=(
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    interrupt)
      subs=(list answer)
      flags=(
        '--all:also closed ones, with their outcome'
        '--username:for a login; USHER_USERNAME when left out'
        '--password:for a login; USHER_PASSWORD when left out'
        '--password-stdin:read the password from standard input'
        '--changes:behind the result, once the page has settled: what changed in it (delta), or all of it (full)') ;;
    status)
      subs=()
      flags=(
        '--all-frames:the whole frame tree') ;;
    console)
      subs=()
      flags=(
        '--clear:clear the record') ;;
    errors)
      subs=()
      flags=(
        '--clear:clear the record') ;;
    events)
      subs=()
      flags=(
        '--follow:print events as they happen, until interrupted'
        '--since:only events after this number, or STREAM:NUMBER'
        '--types:only these kinds or families: tab, frame, load, dialog, dialog_opened, download, console, error, request, ...'
        '--tab:only events of this tab: id (t2), label or target id') ;;
    network)
      subs=(requests request)
      flags=(
        '--clear:clear the record'
        '--filter:only addresses that contain this'
        '--type:only these kinds: document, stylesheet, image, script, xhr, fetch, ...'
        '--method:only this HTTP method'
        '--status:only this status: 200, 4xx or 400-499') ;;
    web)
      subs=(search extract)
      flags=(
        '--limit:how many results'
        '--char-limit:how much of each page is given') ;;
    batch)
      subs=()
      flags=(
        '--bail:stop at the first failure'
        '--omit-command:number the results in place of repeating the commands') ;;
    cdp)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, or its address or the beginning of it; main is the whole page'
        '--tab:id (t2), label or target id of another tab'
        '--browser:call the browser in place of a tab') ;;
    session)
      subs=(list info id)
      flags=(
        '--scope:the directory the name stands for'
        '--prefix:put this before the name') ;;
    doctor)
      subs=()
      flags=(
        '--offline:leave out what needs the network'
        '--quick:do not start a browser'
        '--fix:fix what can be fixed') ;;
    install)
      subs=()
      flags=(
        '--with-deps:and fonts for the text on pages') ;;
    replay)
      subs=()
      flags=(
        '--at:stop at this time since the beginning, or after this step'
        '--events:list what changed, too') ;;
    completion)
      subs=(bash zsh fish powershell)
      flags=() ;;
    help)
      subs=(open goto navigate back forward reload close quit exit snapshot screenshot pdf click dblclick hover focus fill type press key check uncheck select drag upload download downloads scroll scrollintoview scrollinto find get is eval wait keyboard keydown keyup mouse tab window frame frame tree dialog interrupt status console errors events network web batch cdp session doctor install replay completion help version mcp tools flags config daemon)
      flags=() ;;
    mcp)
      subs=(serve http install)
      flags=(
        '--platform:the way in: mcp when left out, cli, acp, api-server, telegram, ...'
        '--toolsets:these toolsets or tools in place of the configured ones: browser,web'
        '--results:where results stand: for clients that show their model only one of the two'
        '--images:show pictures in results, or ask the client'\''s model about them where that sees none (sampling)'
        '--port:the port; a free one when left out'
        '--stop:stop listening'
        '--client:which client'
        '--project:for this directory only, where the client has that'
        '--print:show it, write nothing') ;;
    tools)
      subs=(list show trust enable disable)
      flags=(
        '--platform:the way in: mcp when left out, cli, acp, api-server, telegram, ...'
        '--toolsets:these toolsets or tools in place of the configured ones: browser,web'
        '--all:also the toolsets that are off') ;;
    daemon)
      subs=(status stop run)
      flags=() ;;
  esac
  commands=(
    'open:go to an address and wait until it has loaded'
    'goto:go to an address and wait until it has loaded'
    'navigate:go to an address and wait until it has loaded'
    'back:go one page back'
    'forward:go one page forward'
    'reload:load the page again'
    'close:end the session and its browser'
    'quit:end the session and its browser'
    'exit:end the session and its browser'
    'snapshot:the page as an outline with refs to act on'
    'screenshot:a picture of the page, or of one element'
    'pdf:save the page as PDF'
    'click:click an element'
    'dblclick:click an element twice'
    'hover:move the mouse over an element'
    'focus:give an element the keyboard focus'
    'fill:replace what is in a field'
    'type:type text into a field, key by key'
    'press:press a key or a chord'
    'key:press a key or a chord'
    'check:tick a checkbox, radio or switch'
    'uncheck:untick a checkbox or switch'
    'select:choose options of a list'
    'drag:drag an element to another or to a point'
    'upload:give files to a file field'
    'download:click an element and save the download'
    'downloads:list the downloads'
    'scroll:scroll the page or an element'
    'scrollintoview:scroll until an element is in view'
    'scrollinto:scroll until an element is in view'
    'find:find by meaning, then act'
    'get:read one thing from the page'
    'is:ask whether an element is in a state'
    'eval:run JavaScript in the page and print its value'
    'wait:wait for an element, a time, text, an address, a load state, a script or a download'
    'keyboard:type where the focus is'
    'keydown:hold a key down'
    'keyup:let a key go'
    'mouse:use the mouse'
    'tab:list, open, switch and close tabs'
    'window:open windows'
    'frame:list frames, choose one'
    'dialog:answer alert, confirm and prompt'
    'interrupt:what the browser waits for, and answers to it'
    'status:open dialogs, frames, console errors'
    'console:what the page wrote to its console'
    'errors:uncaught errors of the page'
    'events:all that happened, in order; -f: as it happens'
    'network:list network requests'
    'web:search the web and read pages without a browser'
    'batch:run several commands in one go'
    'cdp:one raw call of the DevTools Protocol'
    'session:the sessions'
    'doctor:check that everything usher needs is here'
    'install:install a browser'
    'replay:show a recording made with --record'
    'completion:print a completion script for a shell'
    'help:help, in general or for one command'
    'version:print the version'
    'mcp:serve agents over the Model Context Protocol'
    'tools:the tools of agents'
    'daemon:the background process that owns the sessions'
  )
  if [[ $words[CURRENT] == -* ]]; then
    (( $#flags )) && _describe flag flags
    _describe 'global flag' globals
  elif [[ -z $first ]]; then
    _describe command commands
  elif [[ -z $next && $#subs -gt 0 ]]; then
    compadd -- $subs
  else
    case $first in screenshot|pdf|upload|download|replay) _files ;; esac
  fi
}
compdef _usher usher
