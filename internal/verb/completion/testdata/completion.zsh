#compdef usher
# zsh completion for usher: source <(usher completion zsh)
_usher() {
  local first= next= word i
  local -a commands subs flags globals
  case $words[CURRENT-1] in
    --enable) compadd -- react-devtools; return ;;
    --color-scheme) compadd -- dark light no-preference; return ;;
    --reduced-motion) compadd -- reduce no-preference default; return ;;
    --forced-colors) compadd -- active none default; return ;;
    --contrast) compadd -- more less custom no-preference default; return ;;
    --media) compadd -- print screen default; return ;;
    --input-mode) compadd -- instant smooth human; return ;;
    --screenshot-format) compadd -- png jpeg webp; return ;;
    --dialog-policy) compadd -- must_respond auto_dismiss auto_accept; return ;;
    --dialog-bridge) compadd -- auto on off; return ;;
    --search-provider) compadd -- brave tavily exa searxng; return ;;
    --engine) compadd -- chrome lightpanda obscura; return ;;
    --browser) compadd -- new mine try; return ;;
    --cdp-clients) compadd -- multi-client single-active; return ;;
    --restore-save) compadd -- auto always never; return ;;
    --state-encryption) compadd -- auto keyring off; return ;;
    --wait-until) compadd -- load domcontentloaded networkidle; return ;;
    --changes) compadd -- none delta full; return ;;
    --button) compadd -- left right middle; return ;;
    --llms) compadd -- index full; return ;;
    --load) compadd -- load domcontentloaded networkidle; return ;;
    --content) compadd -- text all none; return ;;
    --not-found) compadd -- continue abort; return ;;
    --scope) compadd -- worktree cwd git-root; return ;;
    --tools) compadd -- core network state debug tabs react mobile webmcp all; return ;;
    --results) compadd -- both text structured; return ;;
    --images) compadd -- show ask; return ;;
    --client) compadd -- claude claude-desktop codex cursor vscode windsurf gemini zed; return ;;
    --same-site) compadd -- Strict Lax None; return ;;
    --target) compadd -- usher playwright; return ;;
    --target-type) compadd -- page webview any; return ;;
    --executable-path|--extension|--init-script|--ca-cert|--download-path|--upload-root|--screenshot-dir|--blocked-sites-file|--action-policy|--profile|--state|--record|--config|--download|--curl|--file|--baseline|--output) _files; return ;;
    --session|--namespace|--timeout|--args|--user-agent|--headers|--extra-headers|--proxy|--proxy-bypass|--timezone|--locale|--geolocation|--viewport|--device|--screen|--screenshot-quality|--dialog-timeout|--dialog-rules|--on-dialog|--permissions|--credentials|--blocked-sites|--allowed-domains|--confirm-actions|--max-output|--cdp|--cdp-headers|--provider|--relay-port|--cdp-port|--restore|--session-name|--restore-check-url|--restore-check-text|--restore-check-fn|--autosave-interval|--share|--idle-timeout|--depth|--selector|--find|--budget|--frame|--threshold|--count|--modifiers|--at|--delay|--hold|--by|--name|--base64|--filter|--text|--url|--fn|--duration|--steps|--seed|--label|--username|--password|--since|--types|--tab|--type|--method|--status|--body|--content-type|--header|--remove-header|--allow-origin|--resource-type|--max-files|--limit|--char-limit|--code|--keep|--prefix|--ref|--platform|--toolsets|--port|--domain|--path|--expires|--partition-key|--older-than|--totp-secret|--username-selector|--password-selector|--submit-selector|--check-url|--check-text|--credential-provider|--item|--fps|--contact-sheet-threshold|--tags|--categories|--allowed-origins|--model|--react-id|--component|--capability|--payload|--params|--app|--app-arg|--allow|--deny|--user-prompt) return ;;
  esac
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      --enable|--color-scheme|--reduced-motion|--forced-colors|--contrast|--media|--input-mode|--screenshot-format|--dialog-policy|--dialog-bridge|--search-provider|--engine|--browser|--cdp-clients|--restore-save|--state-encryption|--wait-until|--changes|--button|--llms|--load|--content|--not-found|--scope|--tools|--results|--images|--client|--same-site|--target|--target-type|--executable-path|--extension|--init-script|--ca-cert|--download-path|--upload-root|--screenshot-dir|--blocked-sites-file|--action-policy|--profile|--state|--record|--config|--download|--curl|--file|--baseline|--output|--session|--namespace|--timeout|--args|--user-agent|--headers|--extra-headers|--proxy|--proxy-bypass|--timezone|--locale|--geolocation|--viewport|--device|--screen|--screenshot-quality|--dialog-timeout|--dialog-rules|--on-dialog|--permissions|--credentials|--blocked-sites|--allowed-domains|--confirm-actions|--max-output|--cdp|--cdp-headers|--provider|--relay-port|--cdp-port|--restore|--session-name|--restore-check-url|--restore-check-text|--restore-check-fn|--autosave-interval|--share|--idle-timeout|--depth|--selector|--find|--budget|--frame|--threshold|--count|--modifiers|--at|--delay|--hold|--by|--name|--base64|--filter|--text|--url|--fn|--duration|--steps|--seed|--label|--username|--password|--since|--types|--tab|--type|--method|--status|--body|--content-type|--header|--remove-header|--allow-origin|--resource-type|--max-files|--limit|--char-limit|--code|--keep|--prefix|--ref|--platform|--toolsets|--port|--domain|--path|--expires|--partition-key|--older-than|--totp-secret|--username-selector|--password-selector|--submit-selector|--check-url|--check-text|--credential-provider|--item|--fps|--contact-sheet-threshold|--tags|--categories|--allowed-origins|--model|--react-id|--component|--capability|--payload|--params|--app|--app-arg|--allow|--deny|--user-prompt) ((i++)) ;;
      -*) ;;
      *) if [[ -z $first ]]; then first=$word; elif [[ -z $next ]]; then next=$word; fi ;;
    esac
  done
  globals=(
    '--session:the browser session; each has its own tabs, cookies and refs'
    '--namespace:a separate set of session names; empty for the default one'
    '--json:print one JSON envelope instead of text'
    '--timeout:deadline of this command'
    '--headed:show the browser'\''s window, on the display of the shell that starts it'
    '--executable-path:the browser program; USHER_CHROME names it, too'
    '--args:extra switches for the browser; may be repeated, or several separated by line breaks or by a comma before --'
    '--extension:load this unpacked extension (Manifest V3); may be repeated; the session has a browser process of its own'
    '--user-agent:the User-Agent header and navigator.userAgent; {version} in it stands for the browser'\''s version'
    '--headers:extra request headers as a JSON object, sent to the origin that is opened'
    '--extra-headers:extra request headers as a JSON object, sent to every origin'
    '--init-script:run this JavaScript file in every new document, before the page'\''s own scripts (see addinitscript); may be repeated'
    '--enable:install built-in scripts in new documents: react-devtools, the hook by which React reports roots, versions and times of renders (react works without it)'
    '--proxy:proxy server of the browser; credentials in the URL are used for its authentication and not shown on the browser'\''s command line'
    '--proxy-bypass:hosts to reach without the proxy, separated by commas'
    '--ignore-https-errors:accept invalid certificates'
    '--ca-cert:trust the certificate authorities of this PEM file, besides the usual ones: in a Chromium that is launched on Linux without --profile (with certutil), and in usher'\''s own requests (read, web, providers, --cdp)'
    '--no-ca-cert:ignore a ca-cert of the environment or a file'
    '--use-system-ca:for usher'\''s own requests trust the authorities of the system; usher always does, and the browser has its own list'
    '--strict:refuse a selector that matches several elements, as Playwright'\''s locators do; without it the best or first match is taken'
    '--allow-file-access:let file:// pages read other files'
    '--color-scheme:the prefers-color-scheme of pages'
    '--reduced-motion:the prefers-reduced-motion of pages'
    '--forced-colors:the forced-colors of pages'
    '--contrast:the prefers-contrast of pages'
    '--media:the media type of pages'
    '--timezone:time zone of pages'
    '--locale:language of pages: navigator.language, Accept-Language, formats of numbers and dates'
    '--geolocation:position of the device in degrees, accuracy in metres; allows pages to read it unless --permissions has a policy for geolocation'
    '--viewport:size of the page in CSS pixels'
    '--device:imitate a device of Playwright'\''s list (`set devices`): viewport, screen, mobile, touch and user-agent, unless given themselves'
    '--screen:size of the screen in CSS pixels; ignored while the page is larger'
    '--mobile:lay pages out as on a phone: by their viewport meta tag, with overlay scrollbars'
    '--touch:emulate a touch screen'
    '--hide-scrollbars:hide scrollbars in screenshots'
    '--webgpu:enable WebGPU, in software (SwiftShader) where there is no GPU for it; see doctor --webgpu'
    '--no-webmcp:start the browser without WebMCP, by which pages offer tools (see webmcp list); also with --stealth'
    '--download-path:where downloads are saved'
    '--input-mode:how the mouse moves to what click, hover, drag and mouse move name: at once, along a straight line, or along a curve as a hand does, both in a time that grows with the distance'
    '--upload-root:the only directories from which files may be uploaded; default: working, home and temporary directory without hidden files'
    '--screenshot-dir:where screenshots without a path are saved'
    '--screenshot-format:format of screenshots whose path has no known extension'
    '--screenshot-quality:quality of jpeg and webp screenshots'
    '--annotate:screenshot: draw the refs on the image and list them'
    '--dialog-policy:what happens to an alert, confirm or prompt that a page opens'
    '--dialog-timeout:dismiss an unanswered dialog after this time; 5 minutes if not set'
    '--dialog-rules:rules that answer dialogs before the policy does (help dialog rule); may be repeated'
    '--on-dialog:accept, accept=text, dismiss or ask: the answer to dialogs that this command opens in its tab'
    '--permissions:permission policies: camera=allow,microphone=deny,geolocation=ask, or allow, deny, ask or browser for all others; by default the browser decides, and headless it denies'
    '--credentials:credentials for HTTP and proxy authentication, for matching origins (https://*.example.com) or for all; may be repeated; safer in the environment or a file than on a command line'
    '--no-auto-dialog:the same as --dialog-policy must_respond'
    '--dialog-bridge:intercept alert, confirm and prompt before another CDP client or a proxy answers them; auto: after one was answered so'
    '--site-guard:open and read safe addresses only: no cloud metadata, secrets in URLs, debugging ports, blocked sites, or internal networks of a remote browser; redact secrets in page content'
    '--allow-private-urls:site guard: allow addresses of internal networks; cloud metadata stays refused'
    '--blocked-sites:site guard: hosts (with subdomains), *.example.com, IP addresses or ranges (10.0.0.0/8) to refuse, separated by commas; enables the guard'
    '--blocked-sites-file:files with blocked sites, one per line; an unreadable file blocks every address'
    '--blocklist:apply the blocked sites'
    '--allowed-domains:the only hosts that the session may reach: example.com, *.example.com (with all below it), an address, host:port; enforced for every request of the browser, whoever makes it; holds until close'
    '--action-policy:JSON file {default, allow, deny, confirm} of categories or commands; read again when it changes, and in force until the session is closed (see help policy)'
    '--confirm-actions:categories or commands that a person must confirm, until the session is closed (see help policy)'
    '--confirm-interactive:ask for confirmations on the terminal; without a terminal they are refused'
    '--content-boundaries:put lines with a random nonce round all text that may come from pages, until the session is closed; _boundary in JSON; under the name agent-browser for one command'
    '--max-output:cut page content after this many characters, with a note; in JSON each member of data'
    '--search-provider:the search engine of web search; default: the first whose key is in the environment'
    '--cdp:use the running browser at this debugging port or address'
    '--cdp-headers:request headers as a JSON object for the address of --cdp: its /json/version and its WebSocket, no other origin; safer in the environment than on a command line'
    '--provider:rent the browser until the session is closed or idle: at browserbase, browserless, browseruse, kernel or agentcore, whose key is read from the environment (see docs/browsers.md), or from a plugin (see help plugin)'
    '--engine:the program that is launched: chrome is any Chromium; lightpanda is experimental and lacks much; obscura is not supported'
    '--browser:mine is your own Chrome with its tabs and logins, through usher'\''s extension (see docs/relay.md); try is a throw-away one with the extension; new is one that usher launches, unless another option chooses'
    '--relay-port:the port on 127.0.0.1 where usher'\''s extension and CDP clients reach the relay of --browser mine'
    '--cdp-port:open a debugging port on 127.0.0.1 for other programs, 0 for a free one: every user and program of this machine can then read all cookies and pages of this browser, and your files; get cdp-url needs none'
    '--cdp-clients:how many CDP clients may be connected at once to the address of get cdp-url: any number, or one, while others are refused with HTTP 409; sent with get cdp-url, it holds until the session ends or another mode is set'
    '--auto-connect:find and use a running browser that has a debugging port'
    '--pin-tab:stay in the active tab: do not follow tabs that pages open, and fail with tab_gone when it is closed; holds until --no-pin-tab'
    '--no-pin-tab:end --pin-tab'
    '--profile:keep the browser'\''s profile in this directory; or, by its name (see profiles), begin with a copy of a profile of your own browser, which is deleted at the end'
    '--state:begin the session with this saved state (state save, or Playwright'\''s storageState)'
    '--restore:begin with the state that the session saved before, and save it every 30s and when the session ends; without a name, that of the session'
    '--session-name:an older spelling of --restore with a name'
    '--restore-save:when --restore saves: auto (not after a state that could not be loaded, or that failed a check), always or never'
    '--restore-check-url:the restored state is valid if the address of the first page matches (see wait --url)'
    '--restore-check-text:the restored state is valid if the first page contains this text'
    '--restore-check-fn:the restored state is valid if this JavaScript is true in the first page'
    '--autosave-interval:how long after a command --restore saves; 0 saves only when the session ends'
    '--state-encryption:encrypt saved states: auto (with the key in USHER_ENCRYPTION_KEY, if that is set), keyring (with a key in the keyring of the operating system) or off'
    '--record:write all CDP messages, secrets included, to this new file (see replay)'
    '--stealth:observe pages without detection: console messages as text only, errors without stack (see doctor --stealth)'
    '--isolate:give the session a browser process of its own'
    '--share:maximum number of sessions with equal options in one browser process'
    '--auto-recover:reopen the last address after the browser crashed'
    '--idle-timeout:close the session after this long without a command; 0 means never'
    '--config:read this configuration file instead of the usual ones'
    '--debug:log the daemon'\''s actions'
    '--help:help for the command'
    '--version:the version'
  )
  case $first in
    open|goto|navigate)
      subs=()
      flags=(
        '--snapshot:also print the page, with refs to act on'
        '--wait-until:how far to wait for the page') ;;
    back)
      subs=()
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    forward)
      subs=()
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    reload)
      subs=()
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    close|quit|exit)
      subs=()
      flags=(
        '--all:end every session'
        '--kill:also end the app that connect --app started') ;;
    snapshot)
      subs=()
      flags=(
        '--interactive:only elements that can be acted on, headings and table cells'
        '--compact:omit containers that have neither text nor a ref'
        '--depth:only this many levels; omitted parts are marked'
        '--selector:only this element and its descendants'
        '--urls:add the address to every link'
        '--delta:only what changed since the last snapshot with the same options'
        '--full:with --delta: everything after all, to begin anew'
        '--find:only lines that contain these words or match this expression, with the lines around them'
        '--budget:at most this many tokens: the most important rows; the rest is counted'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    screenshot)
      subs=()
      flags=(
        '--full:the whole page, not only the viewport'
        '--if-changed:save nothing if no pixel changed since the last --if-changed of the same area'
        '--threshold:share of the pixels that may change; implies --if-changed; default: 0') ;;
    click)
      subs=()
      flags=(
        '--new-tab:open the link in a new tab'
        '--button:mouse button'
        '--count:number of clicks: 2 is a double click'
        '--human:move the mouse along a curve, slowly at both ends, as a hand does'
        '--modifiers:keys to hold during the click, joined by +: Control+Shift'
        '--at:point to click, in CSS pixels from the top left of the element, or without an element of the viewport'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    dblclick)
      subs=()
      flags=(
        '--at:which point of the element, in CSS pixels from its top left'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    hover)
      subs=()
      flags=(
        '--at:which point of the element, in CSS pixels from its top left'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    focus)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    fill)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    type)
      subs=()
      flags=(
        '--clear:empty the field first'
        '--delay:pause between keys'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    press|key)
      subs=()
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    check)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    uncheck)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    select)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    drag)
      subs=()
      flags=(
        '--hold:how long to hold before moving, for lists that need a long press; 0 for elements with draggable=true, unless given'
        '--at:point to release at, in CSS pixels from the top left of the target, or without a target of the viewport'
        '--by:how far to move from where it is pressed, in CSS pixels, instead of a target or point'
        '--human:move the mouse along a curve, slowly at both ends, as a hand does'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    scroll)
      subs=(up down left right)
      flags=(
        '--selector:scroll this element, what fills it, or what is around it'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    scrollintoview|scrollinto)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    upload)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    drop)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    download)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    find)
      subs=(role text label placeholder alt title testid first last nth)
      flags=(
        '--name:only an element whose accessible name contains this; without a name, what a snapshot shows in its place'
        '--exact:match the whole text and its case; otherwise a part is sufficient, case-insensitive'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    get)
      subs=(text html value attr count box styles title url cdp-url)
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    is)
      subs=(visible enabled checked)
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    eval)
      subs=()
      flags=(
        '--base64:the script in base64, which needs no quoting in a shell'
        '--stdin:read the script from standard input'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    read)
      subs=(page url)
      flags=(
        '--raw:the HTML or text as it is, not converted'
        '--require-md:fail unless the server has it as text/markdown'
        '--llms:the links of the nearest llms.txt, or llms-full.txt'
        '--outline:only the headings'
        '--filter:only sections (with --outline headings, with --llms links) that contain these words'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    wait)
      subs=()
      flags=(
        '--state:the state of the element to wait for'
        '--text:wait until the page shows this text'
        '--url:wait until the address matches'
        '--load:wait until the page has reached this state'
        '--fn:wait until this expression is true'
        '--download:wait for a download, and move it to path if given'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    tap)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    swipe)
      subs=(up down left right)
      flags=(
        '--selector:begin on this element, not in the middle of the page'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    keyboard)
      subs=(type inserttext)
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    keydown)
      subs=()
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    keyup)
      subs=()
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    mouse)
      subs=(move down up wheel)
      flags=(
        '--duration:duration of the movement; default: 150 ms if there are several steps'
        '--steps:number of mouse move events; default: 1'
        '--human:move along a curve, slowly at both ends, as a hand does; duration and steps follow from the distance'
        '--seed:with --human: the same number makes the same movement'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    clipboard)
      subs=(read write copy paste)
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    tab)
      subs=(list new switch label interrupt close)
      flags=(
        '--label:a name by which to switch to the tab'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)'
        '--remove:take the label away from its tab') ;;
    window)
      subs=(new)
      flags=() ;;
    frame)
      subs=(switch list)
      flags=() ;;
    dialog)
      subs=(accept dismiss status policy rule)
      flags=(
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    interrupt)
      subs=(list answer)
      flags=(
        '--all:also closed ones, with their outcome'
        '--username:for HTTP authentication; default: USHER_USERNAME'
        '--password:for HTTP authentication; default: USHER_PASSWORD'
        '--password-stdin:read the password from standard input'
        '--changes:after the result, when the page has settled, print its changes (delta) or all of it (full)') ;;
    status)
      subs=()
      flags=(
        '--all-frames:the whole frame tree') ;;
    console)
      subs=()
      flags=(
        '--clear:clear the record'
        '--page:only those of the page that the active tab shows') ;;
    errors)
      subs=()
      flags=(
        '--clear:clear the record'
        '--page:only those of the page that the active tab shows') ;;
    events)
      subs=()
      flags=(
        '--follow:print events as they happen, until interrupted'
        '--since:only events after this number, or STREAM:NUMBER'
        '--types:only these kinds or families: tab, frame, load, dialog, dialog_opened, download, console, error, request, ...'
        '--tab:only events of this tab: id (t2), label or target id') ;;
    network)
      subs=(requests request route unroute har throttle source)
      flags=(
        '--clear:clear the record'
        '--filter:only addresses that contain this'
        '--type:only these kinds: document, stylesheet, image, script, xhr, fetch, ...'
        '--method:only this HTTP method'
        '--status:only this status: 200, 4xx or 400-499'
        '--page:only those of the page that the active tab shows, from its own document on'
        '--origin:only those to the origin of that page'
        '--abort:fail the requests'
        '--body:answer with this body'
        '--content-type:of the answer (default: by its body: JSON, HTML or plain text)'
        '--header:add a header to the answer, or to the request'
        '--remove-header:remove these headers from the request'
        '--delay:wait so long before anything else, at most 10m'
        '--allow-origin:let pages of this origin, or *, read the answer (CORS, preflight requests included)'
        '--resource-type:only these kinds: document, stylesheet, image, script, xhr, fetch, ...'
        '--content:start: record the bodies of these responses'
        '--not-found:replay: what happens to other requests'
        '--url:replay: only requests that match, as in network route'
        '--max-files:how many files of the workspace are searched') ;;
    set)
      subs=(viewport device devices geo offline headers credentials media timezone locale useragent permissions)
      flags=() ;;
    device)
      subs=(list)
      flags=() ;;
    web)
      subs=(search extract)
      flags=(
        '--limit:how many results'
        '--char-limit:how many characters of each page are printed') ;;
    cdp)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--tab:id (t2), label or target id of another tab'
        '--browser-target:send to the browser, not to a tab') ;;
    batch)
      subs=()
      flags=(
        '--bail:stop at the first failure'
        '--omit-command:number the results instead of repeating the commands') ;;
    run)
      subs=()
      flags=(
        '--code:the code itself, in place of a file'
        '--tab:id (t2), label or target id of another tab'
        '--playwright:with the scope of the tool execute: page, context, state, snapshot(), ...; code that is one expression returns its value'
        '--keep:with --playwright: keep state and what it holds under this name, for the next run'
        '--reset:end what is kept under the name of --keep, and code that runs with it') ;;
    session)
      subs=(list info id)
      flags=(
        '--scope:the directory to derive the name from'
        '--prefix:prefix of the name; what a name cannot have becomes -') ;;
    skills)
      subs=(list get path)
      flags=(
        '--full:with the references, such as the list of all commands'
        '--ref:only this reference; may be repeated'
        '--all:every skill') ;;
    mcp)
      subs=(serve call http install)
      flags=(
        '--platform:the platform: mcp (default), cli, acp, api-server, telegram, ...'
        '--toolsets:these toolsets or tools instead of the configured ones: browser,web'
        '--tools:serve agent-browser'\''s tools of these profiles, one for each command, and no toolset that is not named'
        '--results:form of results: for clients that show their model only one of the two'
        '--images:show images in results, or, for models that cannot see those, ask the client'\''s model about them (sampling)'
        '--port:the port; default: a free one'
        '--stop:stop listening'
        '--client:which client'
        '--project:for this directory only, if the client supports that'
        '--print:print the change, write nothing') ;;
    tools)
      subs=(list show trust enable disable)
      flags=(
        '--platform:the platform: mcp (default), cli, acp, api-server, telegram, ...'
        '--toolsets:these toolsets or tools instead of the configured ones: browser,web'
        '--all:also the toolsets that are off') ;;
    cookies)
      subs=(get set delete clear)
      flags=(
        '--url:the address instead of that of the page'
        '--all:the cookies of all sites'
        '--domain:the domain; with a dot before it, subdomains get the cookie, too'
        '--path:only for addresses that begin with this path'
        '--http-only:hide it from scripts'
        '--secure:send it over https only'
        '--same-site:which requests from other sites get it'
        '--expires:when it expires, in seconds since 1970; default: with the session'
        '--partition-key:keep it apart (CHIPS) for pages of this site, such as https://example.com'
        '--curl:import the cookies of this file') ;;
    storage)
      subs=(local session)
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    state)
      subs=(save load list show rename clear clean)
      flags=(
        '--all:delete every saved state'
        '--older-than:delete those not written for more days than this') ;;
    auth)
      subs=(save login list show delete)
      flags=(
        '--url:the address of the login page'
        '--username:the user name'
        '--password:the password; other users of the machine may see it in the list of processes'
        '--password-stdin:read the password from standard input'
        '--totp-secret:the secret of one-time codes (TOTP), or an otpauth:// address'
        '--username-selector:the field for the user name'
        '--password-selector:the field for the password'
        '--submit-selector:the button that sends the form'
        '--check-url:the login worked when the address matches'
        '--check-text:the login worked when the page contains this text'
        '--no-navigate:log in on the page that is open; its origin has to be that of the login'
        '--credential-provider:get user name, password and one-time code from this plugin (help plugin); nothing of it is saved'
        '--item:which item of the plugin'\''s vault') ;;
    addinitscript)
      subs=()
      flags=(
        '--file:read the script from this file'
        '--stdin:read the script from standard input') ;;
    generate-locator)
      subs=()
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    highlight)
      subs=()
      flags=(
        '--off:remove the box'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    record)
      subs=(start stop restart chapter)
      flags=(
        '--fps:the most frames per second; a still page needs none'
        '--cursor:draw the mouse pointer'
        '--captions:show each command that acts, without the text it enters'
        '--contact-sheet:also save a PNG of the visible changes, beside the video'
        '--contact-sheet-threshold:the ratio of changed pixels that counts as a change') ;;
    diff)
      subs=(snapshot screenshot url)
      flags=(
        '--baseline:compare with the snapshot in this file'
        '--selector:only this element'
        '--interactive:only elements that can be acted on, headings and table cells'
        '--compact:omit containers that have neither text nor a ref'
        '--depth:only this many levels'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--output:where to save the picture of the differences'
        '--threshold:the distance up to which two colours are the same'
        '--full:the whole page, not only the viewport'
        '--screenshot:compare how they look, too'
        '--wait-until:what to wait for; load at least') ;;
    vitals|web-vitals)
      subs=()
      flags=(
        '--reload:reload the page first') ;;
    a11y)
      subs=()
      flags=(
        '--tags:only rules with one of these tags, such as wcag2a or best-practice'
        '--selector:only these elements and what is in them') ;;
    inspect)
      subs=()
      flags=(
        '--serve:serve it, also if the browser has windows'
        '--stop:end serving it, and disconnect who uses it') ;;
    trace)
      subs=(start stop)
      flags=() ;;
    profiler)
      subs=(start stop)
      flags=(
        '--categories:these categories of trace events instead') ;;
    stream)
      subs=(enable disable status)
      flags=(
        '--port:the port') ;;
    dashboard)
      subs=(start stop)
      flags=(
        '--port:the port'
        '--allowed-origins:origins of a reverse proxy') ;;
    chat)
      subs=()
      flags=(
        '--model:the model'
        '--verbose:show the commands that run'
        '--quiet:show only the answer') ;;
    codegen)
      subs=(start follow stop)
      flags=(
        '--output:save the script there when the recording or the session ends'
        '--target:the kind of script') ;;
    react)
      subs=(tree inspect renders suspense)
      flags=(
        '--components:only components, no elements'
        '--depth:only so many levels'
        '--limit:how many rows'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--only-dynamic:only boundaries that are suspended, or were') ;;
    source)
      subs=(lookup)
      flags=(
        '--selector:an element'
        '--react-id:a component, by its id of react tree'
        '--component:components of this name'
        '--no-dom-hints:do not read attributes and text of the element'
        '--max-files:how many files of the workspace are searched'
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page') ;;
    plugin)
      subs=(add list show run)
      flags=(
        '--name:its name, in place of that in the manifest'
        '--capability:a capability, in place of those in the manifest: credential.read, browser.provider, launch.mutate, command.run, or its own; may be repeated'
        '--project:write usher.yaml (agent-browser: agent-browser.json) of this directory'
        '--no-manifest:do not start it; needs --capability'
        '--payload:the request; {} if not given') ;;
    webmcp)
      subs=(list invoke result cancel)
      flags=(
        '--frame:work in this frame: its id, its element'\''s ref, its name, its address or the beginning of that; main is the whole page'
        '--params:its parameters, a JSON object, or a file with one'
        '--detach:do not wait for the answer') ;;
    connect)
      subs=()
      flags=(
        '--app:the executable of an app, in place of an address'
        '--app-arg:an argument for the app, if it is started; can be repeated') ;;
    relay)
      subs=(start stop status)
      flags=(
        '--single-active:one CDP client at a time; GET /client-slot tells whether one is connected') ;;
    extension)
      subs=(doctor try pair install path)
      flags=(
        '--headless:without a window') ;;
    app)
      subs=(list launch status probe cleanup)
      flags=(
        '--limit:how many'
        '--by:what <app> is'
        '--target-type:which targets app status lists'
        '--allow:only an app with this; can be repeated'
        '--deny:no app with this; can be repeated'
        '--all:every launch') ;;
    replay)
      subs=()
      flags=(
        '--at:stop at this time since the beginning, or after this step'
        '--events:also list the changes') ;;
    agent-tool)
      subs=()
      flags=(
        '--client:identifies the client, for the names of its sessions'
        '--user-prompt:what the user asked for; refuses final orders that it forbids, and closing before files that it names are saved'
        '--release:end the sessions of the client in 30 seconds, unless it calls again') ;;
    doctor)
      subs=()
      flags=(
        '--offline:skip checks that need the network'
        '--quick:do not start a browser'
        '--fix:fix what can be fixed without loss, and say what was done') ;;
    install)
      subs=()
      flags=(
        '--with-deps:also install fonts for pages; fails if deps fail') ;;
    upgrade)
      subs=()
      flags=(
        '--check:ask whether there is a newer release') ;;
    config)
      subs=(schema)
      flags=() ;;
    completion)
      subs=(bash zsh fish powershell)
      flags=() ;;
    help)
      subs=(open goto navigate back forward reload close quit exit snapshot screenshot pdf click dblclick hover focus fill type press key check uncheck select drag scroll scrollintoview scrollinto upload drop download downloads find get is eval read wait tap swipe keyboard keydown keyup mouse clipboard tab window frame frame tree dialog interrupt status console errors events network set device set geolocation set auth set user-agent web cdp batch run confirm deny session skills mcp tools cookies cookies list storage state auth auth remove addinitscript removeinitscript initscripts generate-locator pushstate highlight record diff vitals web-vitals a11y inspect trace profiler stream dashboard chat codegen react source plugin webmcp connect relay extension app profiles replay agent-tool doctor install upgrade config completion help version flags config policy selectors daemon)
      flags=() ;;
    daemon)
      subs=(status stop run)
      flags=() ;;
  esac
  commands=(
    'open:open an address and wait until it has loaded'
    'goto:open an address and wait until it has loaded'
    'navigate:open an address and wait until it has loaded'
    'back:go one page back'
    'forward:go one page forward'
    'reload:load it again'
    'close:end the session and its browser'
    'quit:end the session and its browser'
    'exit:end the session and its browser'
    'snapshot:the page as an outline with refs to act on'
    'screenshot:save an image of the page or an element'
    'pdf:save the page as PDF'
    'click:click an element'
    'dblclick:click an element twice'
    'hover:move the mouse over an element'
    'focus:give an element the keyboard focus'
    'fill:replace the content of a field'
    'type:type text into a field, key by key'
    'press:press a key or a chord'
    'key:press a key or a chord'
    'check:tick a checkbox, radio or switch'
    'uncheck:untick a checkbox or switch'
    'select:select options of a list'
    'drag:drag an element to another or to a point'
    'scroll:scroll the page or an element'
    'scrollintoview:scroll until an element is in view'
    'scrollinto:scroll until an element is in view'
    'upload:select files in a file field'
    'drop:drop files onto an element'
    'download:click an element and save the download'
    'downloads:list the downloads'
    'find:find by meaning, then act'
    'get:read one thing from the page'
    'is:test the state of an element'
    'eval:run JavaScript in the page and print its value'
    'read:read a page as Markdown'
    'wait:wait for an element, time, text, address, load, script or download'
    'tap:tap an element with a finger'
    'swipe:swipe with a finger'
    'keyboard:type into the focused element'
    'keydown:hold a key down'
    'keyup:release a key'
    'mouse:use the mouse'
    'clipboard:read, write and use the clipboard'
    'tab:list, open, switch and close tabs'
    'window:open windows'
    'frame:list frames, choose one'
    'dialog:answer alert, confirm and prompt'
    'interrupt:list and answer interruptions'
    'status:open dialogs, frames, console errors'
    'console:console messages, oldest first'
    'errors:uncaught errors, oldest first'
    'events:all events, in order'
    'network:requests; answer, record or slow them'
    'set:change the device that pages see, for all tabs of the session'
    'device:simulators of devices'
    'web:search the web and read pages without a browser'
    'cdp:send a raw CDP command'
    'batch:run several commands in one call'
    'run:run JavaScript that drives the tab'
    'confirm:run a held command'
    'deny:drop a held command'
    'session:the sessions'
    'skills:texts from which agents learn to use this program'
    'mcp:serve agents over MCP'
    'tools:the tools of agents'
    'cookies:read and change cookies'
    'storage:read and change the storage of the page'
    'state:save and load cookies and storage'
    'auth:save logins, and log in with them'
    'addinitscript:run JavaScript in every new document, before the page'\''s own'
    'removeinitscript:end an init script'
    'initscripts:list the init scripts of the session'
    'generate-locator:a Playwright locator for an element'
    'pushstate:change the address within the page, as a single-page application does'
    'highlight:draw a box over an element'
    'record:record a tab as a video'
    'diff:compare snapshots, screenshots or pages'
    'vitals:web vitals of the page: LCP, CLS, INP, FCP, TTFB'
    'web-vitals:web vitals of the page: LCP, CLS, INP, FCP, TTFB'
    'a11y:accessibility audit with axe-core'
    'inspect:open DevTools for the tab'
    'trace:record what the browser does'
    'profiler:record a performance profile'
    'stream:send the frames of a session to WebSocket clients (not in this version)'
    'dashboard:a page that shows all sessions (not in this version)'
    'chat:ask a language model to drive the browser (not in this version)'
    'codegen:record what a person does as commands'
    'react:components of pages made with React'
    'source:source files that parts of the page come from'
    'plugin:programs that give credentials, browsers or launch options'
    'webmcp:the tools that the page offers to agents'
    'connect:use a running browser'
    'relay:the way to your own Chrome'
    'extension:usher'\''s extension in your own Chrome'
    'app:apps built on Electron: find, launch and clean up'
    'profiles:list the profiles of your own browsers'
    'replay:show a recording made with --record'
    'agent-tool:a call of the tool agent_browser, for scripts'
    'doctor:check the installation'
    'install:install a browser'
    'upgrade:how to upgrade this program'
    'config:the configuration files (their keys: help config)'
    'completion:print a completion script for a shell'
    'help:show help, in general or for one command'
    'version:print the version'
    'daemon:the daemon that owns the sessions'
  )
  if [[ $words[CURRENT] == -* ]]; then
    (( $#flags )) && _describe flag flags
    _describe 'global flag' globals
  elif [[ -z $first ]]; then
    _describe command commands
  elif [[ -z $next && $#subs -gt 0 ]]; then
    compadd -- $subs
  else
    case $first in screenshot|pdf|upload|drop|download|network|state|record|trace|profiler|replay) _files ;; esac
  fi
}
compdef _usher usher
