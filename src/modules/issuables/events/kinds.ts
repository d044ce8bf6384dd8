import { type Actor, forms, nullable, oneOf, type TSchema, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectAbility } from '../../access/index.ts'
import { Iteration, iterationsByIds, unusableIterations } from '../../iterations/index.ts'
import { LabelBasic, labelsByIds, unusableLabels } from '../../labels/index.ts'
import { Milestone, milestonesByIds, unusableMilestones } from '../../milestones/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { UserBasic } from '../../users/index.ts'
import type { Issuable } from '../issuable.ts'
import type { EventRow, EventTable } from '../tables.ts'
import { withReadableSources } from './sources.ts'

/** Where something that an event names belongs. */
export type Owned = { id: number; project_id: number | null; namespace_id: number | null }

/** What the events of a page name, by id. */
export type Named = ReadonlyMap<number, Owned>

/** A kind of events (contract 18, "Objects"). Events that name nothing, such as those of weights, have only `present`. */
export type EventKind<Table extends EventTable = EventTable> = {
  table: Table
  /** In ids, paths and parameters: `label` in `resource_label_events`. */
  name: string
  /** In a 404: `ResourceLabelEvent`. */
  noun: string
  result: TSchema
  /** The id of what an event names; null once that is deleted. */
  idOf(row: EventRow<Table>): number | null
  named(db: Reader, ids: readonly number[]): Promise<Named>
  /** What the caller needs in the project of what an event names. */
  ability: ProjectAbility
  /** The events without what the caller may not read; all of it can be read where there is none. */
  readable?(
    platform: Platform,
    asked: { issuable: Issuable; actor: Actor },
    rows: readonly EventRow<Table>[],
  ): Promise<readonly EventRow<Table>[]>
  /** Of these ids those that the issuable's project or group neither has nor inherits. */
  foreign(db: Reader, parent: ProjectOrGroupRef, ids: readonly number[]): Promise<readonly number[]>
  /** The members after the head. */
  present(platform: Platform, row: EventRow<Table>, named: Named): object
}

const head = { id: forms.id, user: UserBasic, created_at: forms.timestamp }
const resource = { resource_type: oneOf(['Issue', 'Epic', 'MergeRequest']), resource_id: forms.id }
const action = oneOf(['add', 'remove'])

const LabelEvent = Type.Object(
  { ...head, ...resource, label: nullable(LabelBasic), action },
  { title: 'ResourceLabelEvent' },
)
const MilestoneEvent = Type.Object(
  { ...head, ...resource, milestone: Milestone, action },
  { title: 'ResourceMilestoneEvent' },
)
const IterationEvent = Type.Object(
  { ...head, ...resource, iteration: Iteration, action },
  { title: 'ResourceIterationEvent' },
)
const WeightEvent = Type.Object(
  { ...head, issue_id: forms.id, weight: forms.nullableInteger },
  { title: 'ResourceWeightEvent' },
)
const StateEvent = Type.Object(
  {
    ...{ ...head, ...resource, source_commit: forms.nullableString, source_merge_request_id: forms.nullableInteger },
    state: oneOf(['closed', 'reopened', 'merged']),
  },
  { title: 'ResourceStateEvent' },
)

const resourceOf = ({ issuable_type, issuable_id }: EventRow<EventTable>) => ({
  resource_type: issuable_type,
  resource_id: issuable_id,
})

const namesNothing = {
  ability: 'read_project' as const,
  idOf: () => null,
  named: async (): Promise<Named> => new Map(),
  foreign: async () => [],
}

/** A value of `named`, which only its own kind reads. */
const as = <Row>(named: Named, id: number | null): Row | undefined => named.get(id ?? 0) as Row | undefined
type RowOf<Load extends (...asked: never[]) => Promise<Map<number, unknown>>> =
  Awaited<ReturnType<Load>> extends Map<number, infer Row> ? Row : never

const label: EventKind<'resource_label_events'> = {
  ability: 'read_labels',
  ...{ table: 'resource_label_events', name: 'label', noun: 'ResourceLabelEvent', result: LabelEvent },
  idOf: ({ label_id }) => label_id,
  named: labelsByIds,
  foreign: async (db, parent, ids) => (await unusableLabels(db, parent, ids)).map(({ id }) => id),
  present(_platform, row, named) {
    const found = as<RowOf<typeof labelsByIds>>(named, row.label_id)
    return { ...resourceOf(row), label: found ? LabelBasic.present(found) : null, action: row.action }
  },
}

const milestone: EventKind<'resource_milestone_events'> = {
  ability: 'read_milestones',
  ...{ table: 'resource_milestone_events', name: 'milestone', noun: 'ResourceMilestoneEvent', result: MilestoneEvent },
  idOf: ({ milestone_id }) => milestone_id,
  named: milestonesByIds,
  foreign: unusableMilestones,
  present(platform, row, named) {
    const found = as<RowOf<typeof milestonesByIds>>(named, row.milestone_id)
    return { ...resourceOf(row), milestone: found && Milestone.present(found, platform), action: row.action }
  },
}

const iteration: EventKind<'resource_iteration_events'> = {
  ability: 'read_iterations',
  ...{ table: 'resource_iteration_events', name: 'iteration', noun: 'ResourceIterationEvent', result: IterationEvent },
  idOf: ({ iteration_id }) => iteration_id,
  async named(db, ids) {
    const rows = await iterationsByIds(db, ids)
    return new Map([...rows].map(([id, row]) => [id, { ...row, project_id: null }]))
  },
  foreign: (db, { namespaceId }, ids) => unusableIterations(db, namespaceId, ids),
  present(platform, row, named) {
    const found = as<RowOf<typeof iterationsByIds>>(named, row.iteration_id)
    return { ...resourceOf(row), iteration: found && Iteration.present(found, platform), action: row.action }
  },
}

const weight: EventKind<'resource_weight_events'> = {
  ...{ table: 'resource_weight_events', name: 'weight', noun: 'ResourceWeightEvent', result: WeightEvent },
  ...namesNothing,
  present: (_platform, row) => ({ issue_id: row.issuable_id, weight: row.weight }),
}

const state: EventKind<'resource_state_events'> = {
  ...{ table: 'resource_state_events', name: 'state', noun: 'ResourceStateEvent', result: StateEvent },
  ...namesNothing,
  readable: withReadableSources,
  present(_platform, row) {
    const { source_commit, source_merge_request_id } = row
    return { ...resourceOf(row), source_commit, source_merge_request_id, state: row.state }
  },
}

export const eventKinds = { label, milestone, weight, state, iteration }
export type EventKindName = keyof typeof eventKinds
