import { isObject, type Json } from '../forms/schema.ts'
import type { Html } from '../html/index.ts'
import type { Visit } from '../page.ts'
import { Do } from '../parts/form.tsx'
import { Copy } from '../parts/parts.tsx'
import { words } from '../parts/words.ts'
import type { KnownAction, KnownAny } from './declared.ts'
import { type Choices, OperationForm } from './operation-form.tsx'
import { type Call, nestedCall } from './place.ts'

/** An action that the caller may perform on an object, with the parameters that name it. */
export type Possible = { action: KnownAction; call: Call }

/** Whether one has these members. @param wanted values by member; a list of them means one of these */
export function hasMembers(one: Json, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    Array.isArray(value) ? value.includes(one[name]) : one[name] === value,
  )
}

/** The actions of a family that the caller may perform on one. @param callOf the parameters that name it */
export async function possibleActions(
  visit: Visit,
  { actions }: KnownAny,
  one: Json,
  callOf: (parameter: string | undefined) => Call,
): Promise<Possible[]> {
  const meant = actions.filter(({ when = {} }) => hasMembers(one, when))
  const possible = meant.map((action) => ({ action, call: callOf(action.parameter) }))
  const mays = await Promise.all(possible.map(({ action, call }) => visit.may(action.operation, nestedCall(call))))
  return possible.filter((_, index) => mays[index])
}

type ActionProps = { visit: Visit; possible: Possible; then: string; of?: string; kind?: 'quiet' }

/** The button of an action. @param of what it is done with, for those who only hear the button */
export function ActionButton({ visit, possible: { action, call }, then, of, kind }: ActionProps) {
  return (
    <Do
      visit={visit}
      performs={action.operation}
      call={call}
      then={then}
      kind={kind}
      {...(action.shows && { shows: true })}
    >
      {action.label}
      {of && <span class="hidden"> {of}</span>}
    </Do>
  )
}

type AskedProps = { visit: Visit; family: KnownAny; possible: readonly Possible[]; choices: Choices; then: string }

/** The forms of actions that ask for something. */
export function AskedActions({ visit, family, possible, choices, then }: AskedProps): Html {
  const asked = possible.filter(({ action }) => action.asks)
  const forms = asked.map(({ action, call }) => (
    <section class="asked">
      <h2>{action.label}</h2>
      <OperationForm
        visit={visit}
        family={family}
        operation={action.operation}
        call={call}
        values={{}}
        choices={choices}
        verb={action.label}
        then={then}
        names={action.asks ?? []}
        {...(action.shows && { shows: true })}
      />
    </section>
  ))
  return <>{forms}</>
}

/** What a creation or an action answered that is shown only once. */
export function Secret({ visit, members }: { visit: Visit; members: readonly string[] }) {
  const { answered } = visit
  const value = answered && isObject(answered.value) ? answered.value : {}
  const shown = members.filter((name) => value[name] !== undefined && value[name] !== null)
  if (shown.length === 0) return <></>
  return (
    <div class="panel secret" role="status">
      <p>Copy this now. It is not shown again.</p>
      {shown.map((name) => (
        <p>
          {shown.length > 1 && <span class="sub">{words(name)}</span>}
          <Copy text={String(value[name])} label={words(name)} />
        </p>
      ))}
    </div>
  )
}

/** Members of answers that are shown once, of the creation and of the actions. */
export function shownOnce(family: KnownAny): readonly string[] {
  const ofCreation = 'shows' in family ? (family.shows ?? []) : []
  return [...new Set([...ofCreation, ...family.actions.flatMap(({ shows = [] }) => shows)])]
}
