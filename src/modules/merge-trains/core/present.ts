import { type Actor, computed, fact, forms, nullable, object, of, oneOf, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { MergeRequestSimple, mergeRequestsByIds, presentSimple } from '../../merge-requests/index.ts'
import { BasicPipeline, mayReadBuilds, pipelinesByIds } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import { type CarRow, carStatuses } from '../tables.ts'

/** How cars of a project are shown to a caller. */
type CarView = { platform: Platform; project: Project; reader: Actor }

function known<Value>(values: ReadonlyMap<number, Value>, id: number): Value {
  const value = values.get(id)
  if (value === undefined) throw new Error(`what a car of a merge train refers to is missing: ${id}`)
  return value
}

const cars = of<CarRow, CarView>().facts({
  async requests(rows, { platform }) {
    const ids = rows.map(({ merge_request_id }) => merge_request_id)
    const shown = await presentSimple(platform, await mergeRequestsByIds(platform.database.read, ids))
    return new Map(shown.map((one) => [one.id, one]))
  },
  async users(rows, { platform }) {
    const ids = [...new Set(rows.map(({ user_id }) => user_id))]
    const [users, presenting] = await Promise.all([usersByIds(platform.database.read, ids), presentingUsers(platform)])
    return new Map([...users].map(([id, user]) => [id, presentUserBasic(user, presenting)]))
  },
  async pipelines(rows, { platform, project, reader }) {
    const ids = mayReadBuilds(reader, project) ? rows.flatMap(({ pipeline_id }) => pipeline_id ?? []) : []
    const place = { externalUrl: platform.externalUrl, fullPath: project.full_path }
    const found = await pipelinesByIds(platform.database.read, ids)
    return new Map([...found].map(([id, pipeline]) => [id, BasicPipeline.present(pipeline, place)]))
  },
})

const secondsBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 1_000)

/** A merge request on a merge train (contract 26.3, Car). */
export const Car = object('MergeTrainCar', cars, {
  id: forms.id,
  merge_request: fact(MergeRequestSimple, 'requests', ({ merge_request_id: id }, { requests }) => known(requests, id)),
  user: fact(UserBasic, 'users', ({ user_id }, { users }) => known(users, user_id)),
  pipeline: fact(nullable(BasicPipeline), 'pipelines', ({ pipeline_id }, { pipelines }) => {
    return pipelines.get(pipeline_id ?? 0) ?? null
  }),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  target_branch: Type.String(),
  status: oneOf(carStatuses),
  merged_at: forms.nullableTimestamp,
  duration: computed(forms.nullableInteger, ({ created_at, merged_at }) =>
    merged_at === null ? null : secondsBetween(created_at, merged_at),
  ),
})
