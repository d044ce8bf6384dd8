import { pageOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { addToTrain } from './adding.ts'
import { getCar, listCars } from './cars.ts'
import { Car } from './present.ts'
import { projectWithTrains } from './subject.ts'

const shared = { tag: 'Merge trains', tier: 'premium', subject: projectWithTrains } as const
const read = { ...shared, method: 'GET', allow: 'read_merge_trains', scopes: reading } as const
const all = '/projects/:id/merge_trains'
const one = `${all}/merge_requests/:merge_request_iid` as const
const filter = {
  scope: t.oneOf(['active', 'complete'], { description: 'Those on their train, or those that are merged.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'By id; default `desc`.' }),
}
const merge_request_iid = t.id()

export const mergeTrainsList = operation({
  ...read,
  id: 'merge_trains.list',
  contract: 'x.merge_train_list',
  path: all,
  summary: 'List the merge requests on the merge trains of a project',
  params: filter,
  result: [200, pageOf(Car)],
  run: ({ platform, subject, actor, params, page }) => listCars(platform, subject, actor, params, page),
})

export const mergeTrainsOfBranch = operation({
  ...read,
  id: 'merge_trains.of_branch',
  contract: 'x.merge_train_branch',
  path: `${all}/:target_branch`,
  summary: 'List the merge requests on the merge train of a branch',
  params: filter,
  result: [200, pageOf(Car)],
  run: ({ platform, subject, actor, params, page }) => listCars(platform, subject, actor, params, page),
})

export const mergeTrainsGet = operation({
  ...read,
  id: 'merge_trains.get',
  contract: 'x.merge_train_get',
  path: one,
  summary: 'Get the state of a merge request on its merge train',
  params: { merge_request_iid },
  result: [200, Car],
  run: ({ platform, subject, actor, params }) => getCar(platform, subject, actor, params.merge_request_iid),
})

export const mergeTrainsAdd = operation({
  ...shared,
  id: 'merge_trains.add',
  contract: 'x.merge_train_add',
  method: 'POST',
  path: one,
  summary: 'Add a merge request to the merge train of its target branch',
  description: 'For callers who may merge into the target branch.',
  allow: 'add_to_merge_trains',
  scopes: writing,
  params: {
    merge_request_iid,
    sha: t.string({ description: 'The head that the caller has seen.' }),
    squash: t.boolean({
      description: 'Whether the merge makes one commit of all. Only with the merge method `merge`.',
    }),
    auto_merge: t.boolean({ description: 'Whether it is added when its checks have passed, where they have not yet.' }),
    when_pipeline_succeeds: t.boolean({ description: 'Older form of `auto_merge`.' }),
  },
  result: [201, Type.Array(Car)],
  answers: { 202: 'It is added when its checks have passed.' },
  async run({ platform, subject, actor, params, setStatus }) {
    const { cars, isWaiting } = await addToTrain(platform, subject, actor, params)
    if (isWaiting) setStatus(202)
    return cars
  },
})
