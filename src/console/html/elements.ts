import type { Child } from './index.ts'

/** Neither `style` nor `on…` is among them: the content policy would ignore them, so they are type errors. */
type Common = {
  children?: Child
  class?: string | undefined
  id?: string | undefined
  title?: string | undefined
  hidden?: boolean | undefined
  lang?: string
  dir?: string
  role?: string
  tabindex?: number
  accesskey?: string
}
type With<Own> = Common & { [K in keyof Own]?: Own[K] | undefined }
type Text = string | number

type Form = With<{ action: string; method: 'get' | 'post'; enctype: string; autocomplete: string; novalidate: boolean }>
type Input = With<{
  type: string
  name: string
  value: Text
  checked: boolean
  placeholder: string
  required: boolean
  disabled: boolean
  readonly: boolean
  autofocus: boolean
  autocomplete: string
  spellcheck: 'false'
  maxlength: number
  min: Text
  max: Text
  step: Text
  multiple: boolean
  list: string
}>
type Drawn = With<{
  fill: string
  stroke: string
  d: string
  x: Text
  y: Text
  cx: Text
  cy: Text
  r: Text
  rx: Text
  width: Text
  height: Text
  viewBox: string
  points: string
  preserveAspectRatio: string
  transform: string
  focusable: 'false'
}>

type Plain =
  | 'abbr'
  | 'article'
  | 'aside'
  | 'b'
  | 'blockquote'
  | 'body'
  | 'caption'
  | 'code'
  | 'datalist'
  | 'dd'
  | 'div'
  | 'dl'
  | 'dt'
  | 'em'
  | 'figure'
  | 'figcaption'
  | 'footer'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'head'
  | 'header'
  | 'hr'
  | 'br'
  | 'kbd'
  | 'legend'
  | 'mark'
  | 'nav'
  | 'noscript'
  | 'p'
  | 'pre'
  | 's'
  | 'section'
  | 'small'
  | 'span'
  | 'strong'
  | 'summary'
  | 'table'
  | 'tbody'
  | 'template'
  | 'thead'
  | 'title'
  | 'tr'
  | 'ul'
  | 'samp'
  | 'search'

/** The elements that pages may have, with their attributes. */
export type Elements = { [K in Plain]: Common } & {
  html: Common & { 'data-theme'?: string | undefined }
  a: With<{ href: string; rel: string; download: boolean | string; 'aria-current': 'page' | undefined }>
  button: With<{
    type: 'submit' | 'button' | 'reset'
    name: string
    value: Text
    disabled: boolean
    formaction: string
    formnovalidate: boolean
  }>
  details: With<{ open: boolean; name: string }>
  dialog: With<{ open: boolean }>
  fieldset: With<{ disabled: boolean }>
  form: Form
  img: With<{ src: string; alt: string; width: Text; height: Text; loading: 'lazy' }>
  input: Input
  label: With<{ for: string }>
  li: With<{ value: number }>
  link: With<{ rel: string; href: string; type: string; media: string; as: string }>
  main: With<{ 'data-refreshes': string }>
  meta: With<{ charset: string; name: string; content: string; 'http-equiv': string }>
  ol: With<{ start: number }>
  optgroup: With<{ label: string; disabled: boolean }>
  option: With<{ value: Text; selected: boolean; disabled: boolean }>
  script: With<{ src: string; type: 'module'; defer: boolean }>
  select: With<{ name: string; required: boolean; multiple: boolean; size: number; disabled: boolean }>
  td: With<{ colspan: number; rowspan: number }>
  textarea: With<{
    name: string
    rows: number
    required: boolean
    placeholder: string
    spellcheck: 'false'
    maxlength: number
  }>
  th: With<{ scope: 'col' | 'row'; colspan: number }>
  time: With<{ datetime: string }>
  svg: Drawn
  path: Drawn
  rect: Drawn
  circle: Drawn
  g: Drawn
  polyline: Drawn
  line: Drawn & With<{ x1: Text; x2: Text; y1: Text; y2: Text }>
  text: Drawn
}
