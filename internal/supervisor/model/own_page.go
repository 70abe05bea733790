package model

// OwnPagePrefix begins the first address of a page that usher opens for itself.
const OwnPagePrefix = "about:blank#usher-"
