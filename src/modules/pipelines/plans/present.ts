import { computed, forms, from, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { PlannedRow } from './store.ts'

/** @property address of the project's pages; @property moment now, ISO text */
type PlanView = { address: string; moment: string }

/** What keeps the caller from starting a job. */
type Kept = { held: 'approval' | 'protected' | null }

const planned = of<PlannedRow & Kept & { needs: readonly string[] | null }, PlanView>()

function durationOf({ started_at: from, finished_at: to }: PlannedRow, { moment }: PlanView): number | null {
  return from === null ? null : Math.max(0, Date.parse(to ?? moment) - Date.parse(from)) / 1000
}

/** A job in the plan of its pipeline (contract 04, x.pipelines_plan). */
export const PlannedJob = object('PlannedJob', planned, {
  id: forms.id,
  name: Type.String(),
  stage: Type.String(),
  status: Type.String(),
  allow_failure: Type.Boolean(),
  when: from(Type.String(), 'run_when'),
  needs: computed(nullable(forms.strings), ({ needs }) => needs && [...needs]),
  failure_reason: computed(Type.Optional(Type.String()), ({ status, failure_reason }) =>
    status === 'failed' ? (failure_reason ?? 'unknown_failure') : undefined,
  ),
  coverage: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  start_at: forms.nullableTimestamp,
  started_at: forms.nullableTimestamp,
  finished_at: forms.nullableTimestamp,
  duration: computed(Type.Unsafe<number | null>({ type: ['number', 'null'] }), durationOf),
  external: Type.Boolean(),
  held: nullable(
    Type.Unsafe<'approval' | 'protected'>({
      type: 'string',
      enum: ['approval', 'protected'],
      description: 'Whether its environment needs approvals first, or is closed to the caller.',
    }),
  ),
  web_url: computed(forms.nullableString, ({ id, external, target_url }, { address }) =>
    external ? target_url : `${address}/-/jobs/${id}`,
  ),
})
export type PresentedPlan = Static<typeof PlannedJob>[]

/** What a job was planned to do (contract 04, x.jobs_definition). */
export const DefinedJob = Type.Object(
  {
    when: Type.String(),
    needs: nullable(forms.strings),
    dependencies: nullable(forms.strings),
    environment: nullable(Type.Object({ name: Type.String(), url: forms.nullableString, action: Type.String() })),
    resource_group: forms.nullableString,
    interruptible: Type.Boolean(),
    timeout: forms.nullableInteger,
  },
  { title: 'JobDefinition' },
)
