import type { ProjectWithMembers, TestServer } from '../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../merge-requests/testing.ts'
import { type TestRunner, workOn } from '../runners/testing.ts'
import { trainJob } from './running/train.ts'

/** A job for the pipelines of merge trains alone, so that nothing else waits for a runner. */
export const forTrains = `test: {script: make, rules: [{if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"'}]}\n`

/** A project with merge trains. */
export type TrainPlace = Place & { trains: string }

export async function makeTrainPlace(
  server: TestServer,
  { people, config = forTrains }: { people?: ProjectWithMembers | undefined; config?: string } = {},
): Promise<TrainPlace> {
  const place = await makePlace(server, people && { people })
  await pushBranch(place, 'main', { '.gitlab-ci.yml': config })
  await place.owner.put(place.base, { merge_trains_enabled: true, merge_pipelines_enabled: true })
  return { ...place, trains: `${place.base}/merge_trains` }
}

/** Opens a merge request of a new branch. @returns its number */
export async function openOne(place: TrainPlace, branch: string, files?: Record<string, string>): Promise<number> {
  return (await openRequest(place, branch, files)).iid
}

/** Adds a merge request to the train, as a maintainer. */
export const add = ({ maintainer, trains }: TrainPlace, iid: number, params: object = {}) =>
  maintainer.post(`${trains}/merge_requests/${iid}`, params)

/** Opens merge requests of new branches, and adds them to the train one after another. @returns their numbers */
export async function board(server: TestServer, place: TrainPlace, ...branches: string[]): Promise<number[]> {
  const iids: number[] = []
  for (const branch of branches) {
    const iid = await openOne(place, branch)
    const { status, body } = await add(place, iid)
    if (status !== 201) throw new Error(JSON.stringify(body))
    iids.push(iid)
  }
  await settle(server)
  return iids
}

/** What is noted with a merge request that leaves the train of `main`; behind it stands the reason. */
export const removed = 'removed this merge request from the merge train of `main`'

/** Runs all jobs that are due. */
export const settle = (server: TestServer): Promise<void> => server.app.platform.jobs.drain()

/** What jobs are run with. */
export const jobContext = { signal: new AbortController().signal, jobId: 0, attempt: 1 }

/** Moves the train of `main` on as far as it can go, as its job does. */
export const runTrainOf = (server: TestServer, { project }: Place): Promise<void> =>
  trainJob.run(server.app.platform, { projectId: project.id, targetBranch: 'main' }, jobContext)

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form
type Json = any

export const requestOf = async ({ developer, at }: Place, iid: number): Promise<Json> =>
  (await developer.get(`${at}/${iid}`)).body

/** The car of a merge request; null when it has none. */
export async function carOf({ developer, trains }: TrainPlace, iid: number): Promise<Json> {
  const { status, body } = await developer.get(`${trains}/merge_requests/${iid}`)
  return status === 404 ? null : body
}

/** The numbers of the merge requests on the train of `main` with their states, the first one first. */
export async function trainOf({ developer, trains }: TrainPlace, query = ''): Promise<[number, string][]> {
  const { body } = await developer.get(`${trains}/main?scope=active&sort=asc${query}`)
  return body.map(({ merge_request, status }: Json) => [merge_request.iid, status])
}

/** The texts of the system notes of a merge request, oldest first. */
export async function notesOf({ developer, at }: Place, iid: number): Promise<string[]> {
  const { body } = await developer.get(`${at}/${iid}/notes?sort=asc`)
  return body.filter(({ system }: Json) => system).map((note: Json) => note.body)
}

/** Lets the runner take the next job, which is that of a merge request on a train, and report how it ended. @returns its payload */
export async function finishTest(
  server: TestServer,
  runner: TestRunner,
  iid: number,
  state: 'success' | 'failed',
): Promise<Json> {
  const job = await runner.take()
  if (job.git_info.ref !== `refs/merge-requests/${iid}/train`) throw new Error(`a job of ${job.git_info.ref}`)
  await workOn(server, job).update({ state })
  await settle(server)
  return job
}

/** The commit of `main`. */
export async function tipOfMain({ owner, base }: Place): Promise<Json> {
  return (await owner.get(`${base}/repository/branches/main`)).body.commit
}
