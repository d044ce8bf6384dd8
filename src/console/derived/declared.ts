import type { Operation } from '../../api/index.ts'
import type { Html } from '../html/index.ts'
import { named, namedIfAny } from '../operations.ts'
import type { Level, sections, Visit } from '../page.ts'

/** What a member or a parameter is called, and what its values are. A text is the label. */
export type Words = string | { label?: string; hint?: string; values?: Readonly<Record<string, string>> }

/** Something else that is done with one object: a button, with fields for what it asks. */
export type Action = {
  operation: string
  label: string
  /** Members that one has where the button is there. */
  when?: Readonly<Record<string, unknown>>
  /** Parameters that the user writes, on the page of the object. */
  asks?: readonly string[]
  /** The parameter that names the object, where it is another one than that of the family. */
  parameter?: string
  /** Members of the answer that are shown once. */
  shows?: readonly string[]
}

type Row = Readonly<Record<string, unknown>>

/** Where choices are listed. The label is a member, or made of the object; the call follows from the place. */
type Choice = readonly [
  operation: string,
  member: string,
  label: string | ((one: Row) => string),
  call?: Row | ((visit: Visit) => Row),
]

/** What the pages of a family and of a single object have in common. */
type Common = {
  at: Level
  /** Below the place; that of `web_url` where there is one. `:name` is a parameter of the operations. */
  path: string
  section: (typeof sections)[number]
  title: string
  /** One of them, in the middle of a sentence. */
  one: string
  /** Fields of the forms, in their order; all of the operation without it. */
  fields?: readonly string[]
  /** Fields that are always shown, besides the required ones and the columns. */
  first?: readonly string[]
  /** Parameters without a field. */
  without?: readonly string[]
  words?: Readonly<Record<string, Words>>
  /** The members that are shown beside the form; all without a field without it. */
  facts?: readonly string[]
  /** Members with the values of parameters of other names. */
  from?: Readonly<Record<string, string>>
  /**
   * Where the objects are listed of which a parameter is the id or the name: the member with it, and the label. The answer is
   * their list, or has it as the member with the name of the parameter.
   */
  choices?: Readonly<Record<string, Choice>>
  /** Parameters that have a field only where there is something to choose from. */
  onlyChosen?: readonly string[]
  actions?: readonly Action[]
  /** What the deletion is called where it is none, such as `Revoke`. */
  removal?: string
  /** Pages below that of one: path and title. */
  related?: readonly (readonly [path: string, title: string])[]
  /** Shows what will come of the values of a form, before it is sent. */
  preview?: (values: Readonly<Record<string, unknown>>) => Html
  /** Parameters that follow from the place and the caller. */
  given?: (visit: Visit) => Record<string, string | number>
}

/** Operations that are not named by the prefix and the role; null where the family has none. */
type Others = Readonly<Partial<Record<'list' | 'get' | 'create' | 'update' | 'delete', string | null>>>

/** A plain family of objects: its pages follow from its operations. */
export type Family = Common & {
  /** Begins the ids of the operations: `project_variables` has `.list`, `.get`, `.create`, `.update`, `.delete`. */
  operations: string
  others?: Others
  /** The member that names one, and the parameter that does. */
  key: readonly [member: string, parameter: string]
  columns: readonly string[]
  /** What they are for, where there are none. */
  empty: string
  /** Values of the fields of a new one. */
  initial?: Readonly<Record<string, unknown>>
  /** The operation that answers with values of the fields of a new one, and the members with them. */
  begins?: readonly [operation: string, ...members: string[]]
  /** Parameters of the list that can be chosen; the search and the sets without it. */
  filters?: readonly string[]
  /** Members that one has where it can be deleted. */
  removable?: Readonly<Record<string, unknown>>
  /** Whether only top-level groups have them. */
  isOfTopLevel?: boolean
  /** The address has the number of one within its place (`iid`), which the list finds by this parameter. */
  numbered?: 'iids'
  /** The member that distinguishes those of one name; the operations know it by `filter`. */
  narrowedBy?: 'environment_scope'
  /** The member of the answer that has the rows. */
  listed?: string
  /** The member, an object, whose members are shown as if they were those of one. */
  spread?: string
  /** Members of the answer to a creation that are shown once. */
  shows?: readonly string[]
  /** Whether the browser goes to the page of a new one, by its `web_url`. */
  opens?: true
  /** Whether the page of one is written by hand, with all that can be done to it. */
  hasOwnPage?: true
  /** Members that one has while its file, which is what `get` answers with, can be downloaded: before that its members are shown. */
  hasFile?: Readonly<Record<string, unknown>>
  /** A member and its values while one makes progress: the page is read again by itself. */
  busy?: readonly [member: string, ...values: (string | number)[]]
}

/** One object of its place, such as settings: it is shown and changed on one page. */
export type Single = Common & {
  get: string
  update: string | null
  /** Where it need not be there. */
  create?: string
  delete?: string
  empty?: string
  /** Where the browser goes after the deletion. */
  leaves?: string
  /** The operation for which the page is in the navigation where the change is refused. */
  foundFor?: string
}

export type KnownAction = Omit<Action, 'operation'> & { operation: Operation }
type KnownChoice = { list: Operation; member: string; label: (one: Row) => unknown; call: (visit: Visit) => Row }

type KnownBeginning = { operation: Operation; members: readonly string[] }

/** A declaration with its operations. */
export type Known<Declared extends Common> = Omit<
  Declared,
  'actions' | 'choices' | 'get' | 'update' | 'create' | 'delete'
> & {
  get: Operation | null
  create: Operation | null
  update: Operation | null
  remove: Operation | null
  actions: readonly KnownAction[]
  choices: Readonly<Record<string, KnownChoice>>
}

/** A family with its operations. */
export type KnownFamily = Omit<Known<Family>, 'begins'> & { list: Operation; begins: KnownBeginning | null }
export type KnownSingle = Known<Single> & { get: Operation }
export type KnownAny = KnownFamily | KnownSingle

const partsOf = ({ actions = [], choices = {} }: Common) => ({
  actions: actions.map((action) => ({ ...action, operation: named(action.operation) })),
  choices: Object.fromEntries(
    Object.entries(choices).map(([name, [list, member, label, call = {}]]) => {
      const labelOf = typeof label === 'string' ? (one: Row) => one[label] : label
      return [name, { list: named(list), member, label: labelOf, call: typeof call === 'function' ? call : () => call }]
    }),
  ),
})

/** Finds the operations of a family. @throws Error where one does not exist */
export function knownFamily(declared: Family): KnownFamily {
  const { operations, others = {}, begins } = declared
  const [beginning, ...members] = begins ?? []
  function operationFor(role: keyof Others): Operation | null {
    const other = others[role]
    if (other === null) return null
    return other ? named(other) : namedIfAny(`${operations}.${role}`)
  }
  return {
    ...declared,
    list: named(others.list ?? `${operations}.list`),
    begins: beginning === undefined ? null : { operation: named(beginning), members },
    get: operationFor('get'),
    create: operationFor('create'),
    update: operationFor('update'),
    remove: operationFor('delete'),
    ...partsOf(declared),
  }
}

/** Finds the operations of a single object. @throws Error where one does not exist */
export function knownSingle(declared: Single): KnownSingle {
  const found = (id: string | null | undefined) => (id ? named(id) : null)
  return {
    ...declared,
    get: named(declared.get),
    create: found(declared.create),
    update: found(declared.update),
    remove: found(declared.delete),
    ...partsOf(declared),
  }
}
