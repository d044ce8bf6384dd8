import type { Actor, AnswerOf, CallOf, Operation, RangeHeader, Raw } from '../api/index.ts'
import type { Child, Html } from './html/index.ts'
import type { GroupObject, ProjectObject, UserObject } from './operations.ts'
import type { PageTexts } from './parts/writing/texts.ts'

/** Below which address a page is: a project's, a group's, or the server's. */
export type Level = 'project' | 'group' | 'instance'

/** The sections of the navigation, in their order. */
export const sections = ['', 'Code', 'Plan', 'Build', 'Deploy', 'Settings', 'Account', 'Instance'] as const

/** What a page shows inside the frame. */
export type View = {
  title: string
  /** Steps from the project or group to this page. The page itself is not among them. */
  crumbs?: readonly (readonly [label: string, href: string])[]
  /** Beside the title. */
  actions?: Child
  /** Whether the page has a heading of its own. */
  isBare?: boolean
  /**
   * Whether the page is read again by itself after some seconds: it shows progress. The script replaces its parts with `data-live`, or all of
   * it; an address has these parts without the rest of the page. `next` is the address of the page that is shown then, also without the script.
   */
  refreshes?: boolean | string | { next: string }
  /** The address of another server to which its forms lead after they were sent (`leads`). */
  formsLeadTo?: string
  body: Html
}

/** What a page answers instead of a view: another address, or the bytes of a file. */
export type Answer = { redirect: string } | { file: Raw }

/** A form that was sent and refused. It is shown again with its values and the problem. */
export type Refused = {
  operation: string
  /** Which of several forms of an operation, where they have names. */
  form?: string
  /** Whether nothing was refused: the form shows how its text will look, has a file in it, or has more fields. */
  isDraft?: boolean
  values: Readonly<Record<string, unknown>>
  sentence: string
  fields: Readonly<Record<string, string>>
}

/** One request for a page. It reads by operations only, as the caller. */
export type Visit = {
  readonly actor: Actor
  readonly me: UserObject | null
  /** Whether an administrator looks at the page as `me` sees it, and can change nothing. */
  readonly isLook: boolean
  /** When who is signed in has to have a second factor; null when none is demanded. */
  readonly due: Date | null
  /** Of pages below a project. */
  readonly project: ProjectObject
  /** Of pages below a group. */
  readonly group: GroupObject
  /** The time of the clock. */
  readonly now: Date
  /** The day of the clock, as YYYY-MM-DD. */
  readonly today: string
  /** Path and query of the page. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The number of the page of a list that is asked for. */
  readonly number: number
  readonly refused: Refused | null
  /** What the form of this request answered, where the page shows it once: new tokens. `values` is what was written into it. */
  readonly answered: { operation: string; value: unknown; values: Readonly<Record<string, unknown>> } | null
  /** The Markdown texts of the page, whose references are looked up when it is whole. */
  readonly texts: PageTexts
  /** Performs an operation that reads; some of its bytes with a range. @throws ApiError as the API answers */
  read<O extends Operation>(operation: O, call: CallOf<O>, headers?: RangeHeader): Promise<AnswerOf<O>>
  /** The same; null where the API answers 401, 403 or 404. */
  find<O extends Operation>(operation: O, call: CallOf<O>): Promise<AnswerOf<O> | null>
  may<O extends Operation>(operation: O, call: CallOf<O>): Promise<boolean>
  /** The same of each of some calls on one subject: lists ask once for all rows. */
  mayEach<O extends Operation>(operation: O, calls: readonly CallOf<O>[]): Promise<boolean[]>
}

/** A page as a value: where it is, what it shows, and which operations its forms perform. */
export type Page = {
  at: Level
  /** Below `/<project>/-/`, `/groups/<group>/-/` or `/`; empty for the home. `:name` is a segment, `*name` the rest. */
  path: string
  /** Its line in the navigation, for callers who may perform the operation. */
  nav?: {
    section: (typeof sections)[number]
    label: string
    /** All of these, where there are several. */
    operation: Operation | readonly Operation[]
    /** Or this one. */
    or?: Operation
    /** Whether it is a page of this project or group: some are of top-level groups only. */
    isFor?: (visit: Visit) => boolean
  }
  /** The path of the page whose line in the navigation is marked, where the address does not say it. */
  under?: string
  performs?: readonly Operation[]
  /** Where the browser goes after a form, by what the operation answered: also to another server. */
  leads?(value: unknown): string
  show(visit: Visit): Promise<View | Answer>
}

/** Declares a page. */
export const page = (declared: Page): Page => declared

/** The number that the address of a page has in this place; 0, which nothing has, for another text. */
export function numberIn({ params }: Visit, name: string): number {
  const text = params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
