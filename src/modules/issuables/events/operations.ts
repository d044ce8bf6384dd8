import { type Operation, pageOf, reading, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import type { IssuableType } from '../issuable.ts'
import type { IssuableKind } from '../kind.ts'
import type { EventTable } from '../tables.ts'
import { type EventKind, type EventKindName, eventKinds } from './kinds.ts'
import { getEvent, listEvents } from './read.ts'

type Contracts = Readonly<Partial<Record<EventKindName, readonly [list: string, get: string]>>>

/** The kinds of events that each kind of issuables has, with their contracts (contract 18). */
const contractsOf: Readonly<Record<IssuableType, Contracts>> = {
  Issue: {
    label: ['3.33', '3.33b'],
    milestone: ['3.35', '3.35b'],
    weight: ['3.36', '3.36b'],
    state: ['x.issue_state_events', 'x.issue_state_event'],
    iteration: ['x.issue_iteration_events', 'x.issue_iteration_event'],
  },
  MergeRequest: {
    label: ['3.34', '3.34b'],
    milestone: ['3.35c', '3.35d'],
    state: ['x.mr_state_events', 'x.mr_state_event'],
  },
  Epic: {
    label: ['3.33c', '3.33d'],
    state: ['x.epic_state_events', 'x.epic_state_event'],
  },
}

/** Declares the operations on the records of changes of a kind of issuables (contract 18). */
export function resourceEventOperations<S, A extends string>(kind: IssuableKind<S, A>): readonly Operation[] {
  const contracts = Object.entries(contractsOf[kind.type]) as [EventKindName, readonly [string, string]][]
  return contracts.flatMap(([name, [list, get]]) =>
    operationsOf(kind, eventKinds[name] as unknown as EventKind<EventTable>, { list, get }),
  )
}

function operationsOf<S, A extends string>(
  kind: IssuableKind<S, A>,
  events: EventKind<EventTable>,
  contracts: { list: string; get: string },
): Operation[] {
  const { name, noun, tag, subject, issuableOf, parentOf } = kind
  const path = `${kind.path}/resource_${events.name}_events`
  const parameter = `resource_${events.name}_event_id`
  // The epics API is deprecated; only these operations say so (contract 18, 3.33c).
  const deprecated = kind.type === 'Epic' && events.name === 'label'
  const needsTier = kind.type === 'Epic' || events.name === 'iteration' || events.name === 'weight'
  const limits = needsTier ? ({ tier: 'premium' } as const) : {}
  const shared = { ...limits, tag, subject, allow: kind.read, scopes: reading, ...(deprecated && { deprecated }) }
  return [
    operation({
      ...shared,
      id: `${name}_${events.name}_events.list`,
      contract: contracts.list,
      method: 'GET',
      path,
      summary: `List the ${events.name} events of ${noun}, oldest first`,
      result: [200, pageOf(events.result)],
      run: ({ platform, subject, actor, page }) =>
        listEvents(platform, events, { issuable: issuableOf(subject), parent: parentOf(subject), actor }, page),
    }),
    operation({
      ...shared,
      id: `${name}_${events.name}_events.get`,
      contract: contracts.get,
      method: 'GET',
      path: `${path}/:${parameter}`,
      summary: `Get a ${events.name} event of ${noun}`,
      params: { [parameter]: t.id({ otherwise: 'no record' }) },
      result: [200, events.result],
      run({ platform, subject, actor, params }) {
        const asked = { issuable: issuableOf(subject), parent: parentOf(subject), actor }
        return getEvent(platform, events, asked, Number((params as Record<string, unknown>)[parameter]))
      },
    }),
  ]
}
