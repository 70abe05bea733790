// The page of TestReact: what React has, in one tree. Built by make react-test for each version.
import * as React from "react";
import * as ReactDOM from "react-dom";
import { createRoot } from "root";

const { Component, Suspense, createContext, forwardRef, lazy, memo, useContext, useEffect, useMemo, useReducer, useRef, useState } = React;

const Theme = createContext("light");
Theme.displayName = "Theme";

function Counter({ start, label }) {
  const [count, setCount] = useState(start);
  const ref = useRef(null);
  const twice = useMemo(() => count * 2, [count]);
  useEffect(() => { document.title = `count ${count}`; }, [count]);
  return <button ref={ref} id={"counter-" + label} onClick={() => setCount(count + 1)}>{count} {twice}</button>;
}

class Clock extends Component {
  static contextType = Theme;
  state = { ticks: 0 };
  render() {
    return <div id="clock" onClick={() => this.setState(({ ticks }) => ({ ticks: ticks + 1 }))}>{this.state.ticks} {this.context}</div>;
  }
}

const Row = memo(function Row({ item }) { return <li>{item}</li>; });
const Field = forwardRef(function Field(props, ref) { return <input ref={ref} {...props} />; });

function List() {
  const theme = useContext(Theme);
  const [picked] = useReducer((state) => state, "none");
  return <ul className={theme}>{["one", "two"].map((item) => <Row key={item} item={item} />)}<li>{picked}</li></ul>;
}

function Modal({ children }) { return ReactDOM.createPortal(<div id="modal">{children}</div>, document.getElementById("portal")); }

let ready = false;
const promise = new Promise((resolve) => { window.release = () => { ready = true; resolve(); }; });
promise.displayName = "orders";
function Slow() {
  if (!ready) throw promise;
  return <p id="slow">loaded</p>;
}
const Late = lazy(() => new Promise(() => {}));

function App() {
  const [theme, setTheme] = useState("light");
  return (
    <Theme.Provider value={theme}>
      <h1 id="theme" onClick={() => setTheme("dark")}>{theme}</h1>
      <Counter start={1} label="a" /><Clock /><List /><Field placeholder="name" />
      <Modal><Counter start={5} label="b" /></Modal>
      <Suspense fallback={<span>waiting</span>}><Slow /></Suspense>
      <Suspense fallback={<span>loading</span>}><Late /></Suspense>
      <Suspense fallback={null}><p>static</p></Suspense>
    </Theme.Provider>
  );
}

function Other() { return <p>other</p>; }

function mount(element, node) {
  if (createRoot) createRoot(node).render(element);
  else ReactDOM.render(element, node);
}
mount(<App />, document.getElementById("root"));
mount(<Other />, document.getElementById("second"));
