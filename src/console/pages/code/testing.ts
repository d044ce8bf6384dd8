import type { Person, TestServer } from '../../../testing/index.ts'
import { browserOf as plainBrowser } from '../../testing.ts'

/** A page as a browser without scripts gets it. */
export type Got = { status: number; headers: Headers; html: string; location: string }

/** Opens pages and sends forms, as a browser does in which a user is signed in. */
export type Browser = {
  get(path: string): Promise<Got>
  /** Sends a form of the page at `path`: an operation and its fields. */
  send(path: string, operation: string, fields: Record<string, string>, then?: string): Promise<Got>
  /** The same for a form that has a file. */
  sendForm(path: string, form: FormData): Promise<Got>
}

const password = 'korrekt-horse-9'

/** A user who signs in with a browser. */
export async function personWithBrowser(server: TestServer, username: string): Promise<Person & { browser: Browser }> {
  const account = { username, name: username, email: `${username}@example.com`, password, skip_confirmation: true }
  const { body: user } = await server.root.post('/users', account)
  const token = { name: 'test', scopes: ['api'] }
  const { body: made } = await server.root.post(`/users/${user.id}/personal_access_tokens`, token)
  const signedIn = plainBrowser(server.url)
  await signedIn.signIn(username, password)
  return { ...server.as(made.token), id: user.id, username, browser: browserOf(server, signedIn.cookies()) }
}

/** A browser with cookies; that of an anonymous visitor without. */
export function browserOf(server: TestServer, cookies = ''): Browser {
  const cookie = cookies === '' ? {} : { Cookie: cookies }
  async function ask(path: string, options: RequestInit = {}): Promise<Got> {
    const headers = { ...cookie, Accept: 'text/html', Origin: server.url }
    const answer = await fetch(`${server.url}${path}`, { ...options, headers, redirect: 'manual' })
    const { status, headers: given } = answer
    return { status, headers: given, html: await answer.text(), location: given.get('location') ?? '' }
  }
  return {
    get: ask,
    sendForm: (path, body) => ask(path, { method: 'POST', body }),
    send: (path, operation, fields, then = path) =>
      ask(path, { method: 'POST', body: new URLSearchParams({ _operation: operation, _then: then, ...fields }) }),
  }
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** The addresses that a page links to. */
export function linksIn(html: string): string[] {
  const links = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link)
  return links.map((link) => link.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity))
}
