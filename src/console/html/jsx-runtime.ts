import { escapeHtml } from '../../infra/markdown/index.ts'
import type { Elements } from './elements.ts'
import { type Child, Html } from './index.ts'

type Properties = Record<string, unknown> & { children?: Child }
type Component<P> = (properties: P) => Html

const withoutContents = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'])
const addressAttributes = new Set(['href', 'src', 'action', 'formaction'])

/** Most texts have nothing to escape. */
const escaped = (text: string) => (/[&<>"']/.test(text) ? escapeHtml(text) : text)

function written(child: Child): string {
  if (child instanceof Html) return child.text
  if (typeof child === 'string') return escaped(child)
  if (typeof child === 'number') return String(child)
  if (!Array.isArray(child)) return ''
  let text = ''
  for (const one of child) text += written(one)
  return text
}

/** The address where it leads to this server, to the web or to a mailbox; `#` for every other scheme. */
function safeAddress(address: string): string {
  return /^(https?:|mailto:)/i.test(address) || !/^[^/?#]*:/.test(address) ? address : '#'
}

function attribute(name: string, value: unknown): string {
  if (value === undefined || value === null || value === false) return ''
  if (value === true) return ` ${name}`
  const text = String(value)
  return ` ${name}="${escaped(addressAttributes.has(name) ? safeAddress(text) : text)}"`
}

/** Writes an element, or calls a component. The compiler writes the calls for JSX. */
export function jsx<P extends Properties>(type: string | Component<P>, properties: P): Html {
  if (typeof type === 'function') return type(properties)
  let text = `<${type}`
  for (const name in properties) if (name !== 'children') text += attribute(name, properties[name])
  if (withoutContents.has(type)) return new Html(`${text}>`)
  return new Html(`${text}>${written(properties.children)}</${type}>`)
}

export { jsx as jsxs }

/** Children without an element around them. */
export function Fragment({ children }: { children?: Child }): Html {
  return new Html(written(children))
}

/** The types of JSX, which the compiler finds by this name. */
export declare namespace JSX {
  type Element = Html
  type IntrinsicElements = Elements
  interface ElementChildrenAttribute {
    children: unknown
  }
}
