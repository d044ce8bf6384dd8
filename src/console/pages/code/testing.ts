import type { Person, TestServer } from '../../../testing/index.ts'
import {
  personWithBrowser as personWithCookies,
  browserOf as plainBrowser,
  readText,
  type TestBrowser,
} from '../../testing.ts'

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

/** A user who signs in with a browser. */
export async function personWithBrowser(server: TestServer, username: string): Promise<Person & { browser: Browser }> {
  const person = await personWithCookies(server, username)
  return { ...person, browser: pagesOf(person.browser) }
}

/** The browser of an anonymous visitor. */
export const visitorOf = ({ url }: Pick<TestServer, 'url'>) => pagesOf(plainBrowser(url))

function pagesOf({ get, submit }: TestBrowser): Browser {
  async function got(answer: ReturnType<typeof get>): Promise<Got> {
    const { status, headers, text } = await answer
    return { status, headers, html: text, location: headers.get('location') ?? '' }
  }
  return {
    get: (path) => got(get(path)),
    sendForm: (path, form) => got(submit(path, form)),
    send: (path, operation, fields, then = path) =>
      got(submit(path, { _operation: operation, _then: then, ...fields })),
  }
}

/** The addresses that a page links to. */
export const linksIn = (html: string) =>
  [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) => readText(link))
