package supervisor

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Input is one thing that happened: an event of the browser or a command.
type Input struct {
	At      time.Time
	Event   *cdp.Event
	Command Command
}

// Command is an input that is no event. Each feature has its own.
type Command interface {
	// InputName is the name that recordings know the command by.
	InputName() string
}

// Forget drops what is kept for a browser context that no longer exists.
type Forget struct{ Context model.ContextID }

// InputName is the name in recordings.
func (*Forget) InputName() string { return "Forget" }

// Overflow says that events of a CDP session were dropped.
type Overflow struct{ Session string }

// InputName is the name in recordings.
func (*Overflow) InputName() string { return "Overflow" }

// Closed says that the connection ended for good.
type Closed struct{ Cause error }

// InputName is the name in recordings.
func (*Closed) InputName() string { return "Closed" }

// Lost says that the connection ended and another is sought.
type Lost struct{ Cause error }

// InputName is the name in recordings.
func (*Lost) InputName() string { return "Lost" }

// Connected says that a new connection has replaced the lost one.
type Connected struct{}

// InputName is the name in recordings.
func (*Connected) InputName() string { return "Connected" }

// StandbyEvent is an event of the standby connection.
type StandbyEvent struct{ Event cdp.Event }

// InputName is the name in recordings.
func (*StandbyEvent) InputName() string { return "Spare" }

// StandbyLost says that the standby connection ended.
type StandbyLost struct{}

// InputName is the name in recordings.
func (*StandbyLost) InputName() string { return "SpareLost" }

// InputHandled says that the page of a tab has handled what a caller sent.
type InputHandled struct{ Tab model.TargetID }

// InputName is the name in recordings.
func (*InputHandled) InputName() string { return "Heard" }

// Reply is the outcome of a Send effect that carried a tag.
type Reply struct {
	Tag     Tag
	Session string
	Result  jsontext.Value
	Err     error
}

// InputName is the name in recordings.
func (*Reply) InputName() string { return "Reply" }

// Tag says what a reply is for.
type Tag struct {
	Kind   TagKind
	Dialog string // for TagAnswer, TagStolen, TagRelease, TagLeaving
	// Frame and Loader name the document that TagPolicy, TagOwner and TagOwnerNode
	// are about.
	Frame  model.FrameID
	Loader string
	URL    string // for TagReload
}

// TagKind is the purpose of a tagged call. New ones go to the end: recordings hold
// the numbers.
type TagKind int

// Purposes of tagged calls.
const (
	TagNone      TagKind = iota
	TagTree              // Page.getFrameTree
	TagRun               // Runtime.runIfWaitingForDebugger, the last of the set-up
	TagAnswer            // Page.handleJavaScriptDialog, Debugger.setVariableValue
	TagPing              // of Pulse: is the main thread free
	TagScript            // of Pulse: does it run a script
	TagBrowser           // of Pulse: does the browser answer
	TagBridge            // Page.addScriptToEvaluateOnNewDocument
	TagStolen            // Runtime.evaluate, after a dialog was closed too soon
	TagPolicy            // Network.getSecurityIsolationStatus
	TagOwner             // DOM.getFrameOwner
	TagOwnerNode         // DOM.describeNode
	TagReload            // Page.reload of a navigation that a login stopped
	TagRelease           // Page.navigate, to dismiss a dialog
	TagEnable            // Page.enable
	TagChildren          // Target.setAutoAttach of a page or frame
	TagIdentity          // Target.getBrowserContexts
	TagFound             // Target.setAutoAttach of the browser, the last of a connection's beginning
	TagSpare             // Page.enable on the standby connection
	TagLeaving           // Page.getNavigationHistory, when a page asks that is being left
	TagLead              // of Work: it begins
	TagTrail             // of Work: it has ended
)

// Answer is the wish to close a dialog.
type Answer struct {
	Dialog string
	By     model.ClosedBy
	Accept bool
	Text   string // for a prompt
	Rule   string // the rule that asks for it, if By is ByPolicy
}

// InputName is the name in recordings.
func (*Answer) InputName() string { return "Answer" }

// Watchdog says that a dialog's time is over.
type Watchdog struct{ Dialog string }

// InputName is the name in recordings.
func (*Watchdog) InputName() string { return "Watchdog" }

// Effect is one thing to do. Exactly one kind is set.
type Effect struct {
	Send  *Send
	Timer *Timer
	// Block names a tab whose ability to answer may have changed.
	Block model.TargetID
	// Tell is an event that no connection can tell any more, for the Tap.
	Tell *Told
}

// Told is an event with the tab it is about.
type Told struct {
	Event cdp.Event
	Tab   model.TargetID
}

// Send is a protocol command to send without waiting.
type Send struct {
	Session string
	Method  string
	Params  any
	Tag     Tag // of the reply; TagNone when nobody needs it
	// Spare sends it on the standby connection.
	Spare bool
}

// Timer asks for a Watchdog input after a while.
type Timer struct {
	After  time.Duration
	Dialog string
}

// InitCommand is a command sent to each page of a context before the page's own
// scripts run: emulation, extra headers and the like.
type InitCommand struct {
	Method string
	Params any
	// Name tells those of one method apart, for Browser.KeepRoot.
	Name string
	// Frames sends it to frames in their own process and to workers too.
	Frames bool
}

// Model is the state being folded. It is not for concurrent use; Snapshot gives
// what others may read.
type Model struct {
	cur         *model.State
	shared      bool                            // cur has been handed out
	private     bool                            // what has changed since then no reader could see
	owned       map[model.TargetID]bool         // tabs copied since then, free to change
	ownedFrames map[*model.Frame]bool           // frames copied or made since then
	born        uint64                          // frames made so far
	works       map[string]*works               // what callers have renderers do, by CDP session
	peers       map[string]string               // Frame.Peer of documents, by loader: told before the document is
	places      map[model.FrameID]uint64        // Frame.born of frames whose process has ended; they may come back in their parent's
	homeless    map[model.FrameID]model.FrameID // frames that hang elsewhere until the frame they belong below is known
	effects     []Effect
	changes     []model.Change // of the last input; reused
	now         time.Time
	seq         uint64
	sessions    map[string]sessionInfo // CDP session -> what it speaks for
	pings       map[string]*ping       // CDP session -> what it has not answered
	asked       time.Time              // when the browser was asked what it has not answered; zero when it owes nothing
	lag         time.Duration          // what it took for its last answer
	rulings     []Override             // of commands under way, oldest first
	due         map[string]*Answer     // answers to be given as soon as they can be sent, by dialog
	strays      map[string]stray       // answers whose dialog had been closed before they came, by its id
	numbers     map[model.ContextID]int
	inits       map[model.ContextID][]InitCommand
	dialogs     int
	// interrupts counts the interruptions, choosers has the contexts in which file
	// choosers are ours to answer, cancelling the CDP sessions in which we cancel
	// one now.
	interrupts  int
	choosers    map[model.ContextID]bool
	cancelling  map[string]bool
	fetch       map[model.ContextID]fetching
	credentials map[model.ContextID]credentials
	gave        map[string]int               // answers given to requests, by CDP session and request
	printing    map[model.TargetID]int       // how often we print them ourselves now
	asks        map[model.ContextID][]string // permissions
	decided     map[Decided]bool
	again       map[model.TargetID]string // tabs to reload for a login, with the address
	progress    map[string]time.Time      // when the progress of a download was last told, by GUID
	stealth     bool
	bridge      bridge
	reporter    string                            // a script that tells of errors in a stealth browser; empty for none
	script      string                            // a script for our world of every page; empty for none
	roots       map[model.ContextID][]InitCommand // sent to the browser itself on each connection
	identity    model.ContextID                   // the default context tells one browser from another
	seen        map[model.TargetID]bool           // told of on a new connection, until all are; nil after that
	stale       map[model.TargetID]bool           // tabs from before an outage, not yet compared
	spares      map[model.TargetID]*spareTab      // what the standby connection knows
}

type sessionInfo struct {
	kind    string // "page", "iframe", or another target type
	target  model.TargetID
	tab     model.TargetID // the tab it belongs to; empty for workers of no tab
	context model.ContextID
	running bool // its set-up is done
	// What the set-up has come to: the page hears of dialogs, its frames are told,
	// those in processes of their own are attached.
	enabled, tree, children bool
}

// NewModel returns a model of a browser nothing is known about. stealth leaves
// out what a page can notice (Runtime.enable). nonce is a word that no page can
// guess, by which the bridge knows its own script.
func NewModel(stealth bool, nonce string) *Model {
	return &Model{
		cur:         model.NewState(),
		owned:       map[model.TargetID]bool{},
		ownedFrames: map[*model.Frame]bool{},
		works:       map[string]*works{},
		peers:       map[string]string{},
		places:      map[model.FrameID]uint64{},
		homeless:    map[model.FrameID]model.FrameID{},
		sessions:    map[string]sessionInfo{},
		pings:       map[string]*ping{},
		strays:      map[string]stray{},
		due:         map[string]*Answer{},
		numbers:     map[model.ContextID]int{},
		inits:       map[model.ContextID][]InitCommand{},
		choosers:    map[model.ContextID]bool{}, cancelling: map[string]bool{},
		fetch: map[model.ContextID]fetching{}, credentials: map[model.ContextID]credentials{}, gave: map[string]int{}, again: map[model.TargetID]string{},
		printing: map[model.TargetID]int{}, asks: map[model.ContextID][]string{}, decided: map[Decided]bool{},
		progress: map[string]time.Time{},
		roots:    map[model.ContextID][]InitCommand{},
		stale:    map[model.TargetID]bool{},
		spares:   map[model.TargetID]*spareTab{},
		stealth:  stealth,
		bridge:   newBridge(nonce),
	}
}

// Start returns the effects that begin the watch over a browser.
func (m *Model) Start() []Effect {
	m.effects = nil
	m.start()
	return m.effects
}

type obj = map[string]any

func autoAttach() obj {
	return obj{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}
}

// SetInit sets the commands that new pages of a context receive first.
func (m *Model) SetInit(c model.ContextID, cmds []InitCommand) { m.inits[c] = cmds }

// Apply folds one input and returns what is to be done now, in order.
func (m *Model) Apply(in Input) []Effect {
	m.effects, m.changes, m.now = nil, m.changes[:0], in.At
	m.seq++
	switch {
	case in.Event != nil:
		m.event(in.Event)
	case in.Command != nil:
		m.command(in.Command)
	}
	if len(m.cur.Interrupts) > 0 && (in.Event == nil || mayMoot(in.Event.Method)) {
		m.moot()
	}
	return m.effects
}

// command routes one command to its feature.
func (m *Model) command(c Command) {
	switch c := c.(type) {
	case *Reply:
		m.reply(c)
	case *Answer:
		m.answer(c)
	case *Watchdog:
		m.watchdog(c.Dialog)
	case *SetPolicy:
		m.setPolicy(c)
	case *Override:
		m.override(c)
	case *Pulse:
		m.pulse(c)
	case *InputHandled:
		m.heard(c.Tab)
	case *Work:
		m.work(c)
	case *Resolve:
		m.resolve(c)
	case *Choosers:
		m.setChoosers(c)
	case *Printing:
		m.setPrinting(c)
	case *SetBridge:
		m.setBridge(c)
	case *Fetching:
		m.setFetching(c)
	case *HiddenLogin:
		m.hiddenLogin(c)
	case *SetCredentials:
		m.setCredentials(c)
	case *AskPermissions:
		m.setAsking(c)
	case *Decided:
		m.decide(c)
	case *Forget:
		m.forget(c.Context)
	case *Overflow:
		m.overflow(c.Session)
	case *Closed:
		m.closed(c.Cause)
	case *Lost:
		m.lost(c.Cause)
	case *Connected:
		m.start()
	case *StandbyEvent:
		m.spare(&c.Event)
	case *StandbyLost:
		m.spareLost()
	}
}

// Snapshot hands out the present state. It costs nothing; the next change pays
// for a copy of what it touches.
func (m *Model) Snapshot() *model.State {
	m.shared, m.private = true, false
	return m.cur
}

// Dirty says that the state changed since the last Snapshot, in what readers see.
func (m *Model) Dirty() bool { return !m.shared && !m.private }

// markUnseen says whether what was changed since the last Snapshot shows nothing to readers.
func (m *Model) markUnseen(unseen bool) { m.private = unseen }

// mutable returns the state for changing.
func (m *Model) mutable() *model.State {
	if m.shared {
		m.cur = m.cur.Clone()
		clear(m.owned)
		clear(m.ownedFrames)
		m.shared = false
	}
	m.private = false
	m.cur.Seq = m.seq
	return m.cur
}

func (m *Model) send(session, method string, params any, tag Tag) {
	m.do(Effect{Send: &Send{Session: session, Method: method, Params: params, Tag: tag}})
}

// sendStandby sends a command on the standby connection.
func (m *Model) sendStandby(session, method string, params any, tag Tag) {
	m.do(Effect{Send: &Send{Session: session, Method: method, Params: params, Tag: tag, Spare: true}})
}

// do adds an effect to those of the input at hand.
func (m *Model) do(e Effect) { m.effects = append(m.effects, e) }

func (m *Model) block(tab model.TargetID) { m.do(Effect{Block: tab}) }

// event routes one event. What is not listed costs a string comparison.
func (m *Model) event(ev *cdp.Event) {
	if m.sessions[ev.SessionID].aside() && ev.Method != "Target.attachedToTarget" && ev.Method != "Target.detachedFromTarget" {
		return
	}
	switch ev.Method {
	case wire.EventsLost:
		m.eventsLost(ev.SessionID)
	case "Target.targetCreated", "Target.targetInfoChanged":
		m.targetInfo(ev)
	case "Target.targetDestroyed":
		m.targetDestroyed(ev)
	case "Target.targetCrashed":
		m.targetCrashed(ev)
	case "Target.attachedToTarget":
		m.attached(ev)
	case "Target.detachedFromTarget":
		m.detached(ev)
	case "Page.frameAttached":
		m.frameAttached(ev)
	case "Page.frameNavigated":
		m.frameNavigated(ev)
	case "Page.frameRequestedNavigation":
		m.navigationRequested(ev)
	case "Page.frameStartedNavigating":
		m.navigationStarted(ev)
	case "Page.frameStoppedLoading":
		m.stoppedLoading(ev)
	case "Page.windowOpen":
		m.windowOpen(ev)
	case "Page.navigatedWithinDocument":
		m.navigatedWithin(ev)
	case "Page.frameDetached":
		m.frameDetached(ev)
	case "Page.lifecycleEvent":
		m.lifecycle(ev)
	case "Page.javascriptDialogOpening":
		m.dialogOpening(ev)
	case "Page.javascriptDialogClosed":
		m.dialogClosed(ev)
	case "Network.loadingFailed":
		m.loadingFailed(ev)
	case "Runtime.bindingCalled":
		m.bindingCalled(ev)
	case "Fetch.authRequired":
		m.loginAsked(ev)
	case "Page.fileChooserOpened":
		m.chooserOpened(ev)
	case "Debugger.scriptParsed":
		m.scriptParsed(ev)
	case "Debugger.paused":
		m.debuggerPaused(ev)
	case "Debugger.resumed":
		m.debuggerResumed(ev)
	case "Network.responseReceived":
		m.response(ev)
	case "Runtime.executionContextCreated":
		m.contextCreated(ev)
	case "Runtime.executionContextDestroyed":
		m.contextDestroyed(ev)
	case "Runtime.executionContextsCleared":
		m.contextsCleared(ev)
	case "Browser.downloadWillBegin":
		m.downloadBegin(ev)
	case "Browser.downloadProgress":
		m.downloadProgress(ev)
	}
}

func (m *Model) reply(r *Reply) {
	switch r.Tag.Kind {
	case TagTree:
		m.frameTree(r)
	case TagRun:
		m.running(r)
	case TagAnswer:
		m.answered(r)
	case TagPing:
		m.ponged(r.Session)
	case TagLead, TagTrail:
		m.workTurn(r)
	case TagScript:
		m.scriptRuns(r.Session)
	case TagBrowser:
		m.browserAnswered()
	case TagBridge:
		m.bridgeAdded(r)
	case TagStolen:
		m.stolen(r)
	case TagPolicy, TagOwner, TagOwnerNode:
		m.modalReply(r)
	case TagReload:
		m.reloaded(r)
	case TagRelease:
		m.released(r)
	case TagEnable:
		m.enabled(r)
	case TagChildren:
		m.hasChildren(r)
	case TagIdentity:
		m.identified(r)
	case TagFound:
		m.found(r)
	case TagSpare:
		m.spareEnabled(r)
	case TagLeaving:
		m.judgedLeaving(r)
	}
}

// closed ends everything: no tab survives the connection.
func (m *Model) closed(cause error) {
	s := m.mutable()
	if s.Closed != nil {
		return // the first cause counts
	}
	s.Closed, s.Outage = cause, nil
	m.noteAny(model.Change{Kind: model.BrowserClosed, Text: cause.Error()})
	for len(s.Dialogs) > 0 {
		m.loseDialog(s.Dialogs[0])
	}
	for id := range s.Tabs {
		m.block(id)
	}
}

// eventsLost notes that some of what a page did will not be told.
func (m *Model) eventsLost(session string) {
	if t := m.tab(m.sessions[session].tab); t != nil {
		t.Overflow = true
		m.note(t, model.Change{Kind: model.EventsLost})
	}
}

// overflow notes that events were lost and begins anew with the target: what was
// missed comes back with the frame tree.
func (m *Model) overflow(session string) {
	info, ok := m.sessions[session]
	if !ok {
		return
	}
	if info.aside() {
		delete(m.sessions, session) // the connection detaches it, and the next call gets another
		return
	}
	m.eventsLost(session)
	if t := m.tab(info.tab); t != nil && info.kind == "page" {
		t.Ready = false
	}
	m.bridgeLost(session)
	m.send("", "Target.attachToTarget", obj{"targetId": info.target, "flatten": true}, Tag{})
}

// forget drops what is kept for a browser context that is no more.
func (m *Model) forget(c model.ContextID) {
	m.forgetTargets(c)
	m.forgetQueue(c)
	m.forgetFetching(c)
	m.forgetAsking(c)
	m.forgetDialogs(c)
	m.forgetBridge(c)
}
