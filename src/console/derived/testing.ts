import type { TestServer } from '../../testing/index.ts'
import { browserOf as cookiesOf, readText } from '../testing.ts'

/** What a browser got. */
export type Shown = { status: number; html: string; location: string | null }

/** A field of a form, as a browser sees it. */
export type FormField = { name: string; type: string; value: string; isRequired: boolean; isSent: boolean }

/** A form of a page. */
export type ShownForm = {
  action: string
  operation: string
  isUpload: boolean
  fields: readonly FormField[]
  html: string
}

/** A browser that is signed in and has no JavaScript. */
export type Browser = {
  get(path: string): Promise<Shown>
  /** Sends a form with other values; a list sends its name several times. */
  send(form: ShownForm, values?: Readonly<Record<string, string | readonly string[]>>): Promise<Shown>
}

function attributesOf(tag: string): Record<string, string> {
  const pairs = [...tag.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].slice(1)
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, readText(value)]))
}

function selectField(tag: string, contents: string): FormField {
  const { name = '', ...attributes } = attributesOf(tag)
  const options = [...contents.matchAll(/<option[^>]*>/g)].map(([option]) => attributesOf(option))
  const chosen = options.find((option) => 'selected' in option) ?? options[0]
  return { name, type: 'select', value: chosen?.value ?? '', isRequired: 'required' in attributes, isSent: true }
}

function inputField(tag: string): FormField {
  const { name = '', type = 'text', value = '', ...attributes } = attributesOf(tag)
  const isSent = name !== '' && ((type !== 'checkbox' && type !== 'radio') || 'checked' in attributes)
  return { name, type, value, isRequired: 'required' in attributes, isSent }
}

function fieldsOf(html: string): FormField[] {
  const controls = html.matchAll(
    /<input[^>]*>|(<select[^>]*>)([\s\S]*?)<\/select>|(<textarea[^>]*>)([\s\S]*?)<\/textarea>/g,
  )
  return [...controls].map(([whole, select, options = '', area, text = '']) => {
    if (select) return selectField(select, options)
    if (!area) return inputField(whole)
    const { name = '', ...attributes } = attributesOf(area)
    return { name, type: 'textarea', value: readText(text), isRequired: 'required' in attributes, isSent: true }
  })
}

/** The forms of a page that perform operations. */
export function formsOf(html: string): ShownForm[] {
  const forms = html.matchAll(/(<form[^>]*method="post"[^>]*>)([\s\S]*?)<\/form>/g)
  return [...forms].map(([, tag = '', contents = '']) => {
    const { action = '', enctype } = attributesOf(tag)
    const fields = fieldsOf(contents)
    const operation = fields.find(({ name }) => name === '_operation')?.value ?? ''
    return { action, operation, isUpload: enctype === 'multipart/form-data', fields, html: contents }
  })
}

/** The form of a page that performs an operation. @throws Error where it has none */
export function formOf(html: string, operation: string): ShownForm {
  const form = formsOf(html).find((one) => one.operation === operation)
  if (!form) throw new Error(`no form performs ${operation}`)
  return form
}

/** The pairs that a browser sends for a form. */
function pairsOf({ fields }: ShownForm, values: Readonly<Record<string, string | readonly string[]>>) {
  const kept = fields.filter(({ name, isSent }) => isSent && !(name in values))
  const given = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as const),
  )
  return [...kept.map(({ name, value }) => [name, value] as const), ...given]
}

function bodyOf(form: ShownForm, pairs: readonly (readonly [string, string])[]): URLSearchParams | FormData {
  if (!form.isUpload) return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]))
  const body = new FormData()
  const files = new Set(form.fields.filter(({ type }) => type === 'file').map(({ name }) => name))
  for (const [name, value] of pairs) {
    if (files.has(name)) body.append(name, new File([value], value === '' ? '' : 'note.txt'))
    else body.append(name, value)
  }
  return body
}

const password = 'korrekt-horse-9'

/** Signs a user in, as people do whose password an administrator has set: they choose another one. @returns the cookies */
async function signIn(server: TestServer, user: { id: number }): Promise<string> {
  const { body } = await server.root.put(`/users/${user.id}`, { password })
  const browser = cookiesOf(server.url)
  const fields = { username: body.username, password, new_password: `${password}0` }
  const { status } = await browser.submit('/users/sign_in', fields)
  if (status !== 303) throw new Error(`signing in answered ${status}`)
  return browser.cookies()
}

/** A browser in which a user is signed in; that of an anonymous visitor without one. */
export async function browserOf(server: TestServer, user?: { id: number }): Promise<Browser> {
  const headers = { Accept: 'text/html', Origin: server.url, ...(user && { Cookie: await signIn(server, user) }) }
  async function ask(path: string, request: RequestInit): Promise<Shown> {
    const response = await fetch(new URL(path, server.url), { ...request, redirect: 'manual', headers })
    return { status: response.status, html: await response.text(), location: response.headers.get('location') }
  }
  return {
    get: (path) => ask(path, {}),
    send: (form, values = {}) => ask(form.action, { method: 'POST', body: bodyOf(form, pairsOf(form, values)) }),
  }
}
