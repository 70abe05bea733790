package verb

// SelectorNotation describes what [ParseSelector] accepts, in plain text.
const SelectorNotation = `A selector is a ref of the last snapshot (@e4), CSS, xpath=... or text=... (text="Save" for exactly that text), or
a chain of parts, each searched in what the part before it found:

  usher click '.row >> has-text="Ada" >> role=button[name="Save"]'
  usher fill 'frame=#payment >> label=Card number' 4242424242424242
  usher get count '@e5 >> role=listitem'

Parts that find elements, as Playwright's locators do:
  .row, css=.row            CSS, through open shadow roots; also button:has-text("Save"), :text("Save"), :text-is("Save"),
                            :text-matches("^save", "i"), :visible, :nth-match(button, 2),
                            input:right-of(label), :left-of(), :above(), :below(), :near(label, 120), the nearest first
  //li, xpath=li, ..        XPath
  text=Save                 the smallest elements with that text
  role=button[name="Save"]  role and accessible name, without what is hidden from assistive technology; states are [checked]
                            [disabled] [expanded] [pressed] [selected], each also [...=false], [checked=mixed], [level=2];
                            [include-hidden] finds what is hidden, too
  label=, placeholder=, alt=, title=, testid= (data-testid), name= (accessible name of any element)
  ref=@e5, @e5              the element of a ref
  frame=#payment            what follows is in the document of that frame; also #payment >> internal:control=enter-frame

Parts that choose among the elements found so far:
  nth=0, nth=-1             the first, the last
  visible=true              rendered and with a size; visible=false for the others
  has-text=, has-not-text=  with or without that text anywhere inside
  has=, has-not=            with or without an element that another selector finds inside: has="role=img"
  and=, or=                 those that another selector finds, too; those and what another selector finds

Texts: Save and "Save"i are part of the text, in any letter case; "Save" and "Save"s are the whole text in the same case
(after has-text= and has-not-text=, "Save" is part of it, and after text= it is the whole text between two tags);
/^save/i is a regular expression of JavaScript. White space counts as one space. A backslash stands before a quote in
quotes. Selectors inside others are in quotes if they have parts: has=".price >> text=Free".

If several elements match, an action takes one that is rendered and whose whole text is the one that is sought, and
the first of those, and warns if others match as well. With --strict it takes none and lists them.
`
