import { type Operation, reading, requireSignedIn, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import type { IssuableKind } from '../kind.ts'
import { TimeStats } from './present.ts'
import { changeEstimate, changeSpent, requireEstimate, requireSpent, timeStatsOf } from './time.ts'

type TimeKind<S, A extends string> = IssuableKind<S, A> & {
  /** The ability to change the estimate and the spent time. */
  track: NoInfer<A>
}

const duration = t.required(
  t.string({ description: 'Such as `3h30m` or `1w 2d`: a day has 8 hours, a week 5 days, a month 4 weeks.' }),
)

/** Declares the operations on the time tracking of a kind of issuables (contract 16, "Operations: time tracking"). */
export function timeTrackingOperations<S, A extends string>(kind: TimeKind<S, A>): readonly Operation[] {
  const { name, noun, tag, subject, issuableOf, contract } = kind
  const writes = { tag, subject, allow: kind.track, scopes: writing, method: 'POST' } as const
  return [
    operation({
      ...writes,
      id: `${name}_time.set_estimate`,
      contract: `x.${contract}_time_estimate`,
      path: `${kind.path}/time_estimate`,
      summary: `Set the estimated time of ${noun}`,
      params: { duration },
      result: [200, TimeStats],
      run: ({ platform, subject, actor, params }) =>
        changeEstimate(platform, issuableOf(subject), requireSignedIn(actor).userId, requireEstimate(params.duration)),
    }),
    operation({
      ...writes,
      id: `${name}_time.reset_estimate`,
      contract: `x.${contract}_reset_estimate`,
      path: `${kind.path}/reset_time_estimate`,
      summary: `Set the estimated time of ${noun} to 0`,
      result: [200, TimeStats],
      run: ({ platform, subject, actor }) =>
        changeEstimate(platform, issuableOf(subject), requireSignedIn(actor).userId, 0),
    }),
    operation({
      ...writes,
      id: `${name}_time.add_spent`,
      contract: `x.${contract}_add_spent`,
      path: `${kind.path}/add_spent_time`,
      summary: `Add time spent on ${noun}`,
      params: { duration, summary: t.string({ description: 'What the time was spent for.', maxLength: 255 }) },
      result: [201, TimeStats],
      run({ platform, subject, actor, params: { duration, summary } }) {
        const change = { add: requireSpent(duration), summary }
        return changeSpent(platform, issuableOf(subject), requireSignedIn(actor).userId, change)
      },
    }),
    operation({
      ...writes,
      id: `${name}_time.reset_spent`,
      contract: `x.${contract}_reset_spent`,
      path: `${kind.path}/reset_spent_time`,
      summary: `Set the time spent on ${noun} to 0`,
      result: [200, TimeStats],
      run: ({ platform, subject, actor }) =>
        changeSpent(platform, issuableOf(subject), requireSignedIn(actor).userId, 'reset'),
    }),
    operation({
      ...{ tag, subject, allow: kind.show, scopes: reading, method: 'GET' as const },
      id: `${name}_time.get`,
      contract: `x.${contract}_time_stats`,
      path: `${kind.path}/time_stats`,
      summary: `Get the estimated and spent time of ${noun}`,
      result: [200, TimeStats],
      run: ({ platform, subject }) => timeStatsOf(platform, issuableOf(subject)),
    }),
  ]
}
