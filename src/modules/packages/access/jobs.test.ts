/** What the tokens of jobs do with packages (contract 23 R2). */
import { expect, test } from 'vitest'
import { jobWithToken } from '../../pipelines/testing.ts'
import { newProject, people, publish, send, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

const file = 'tool/1.0/f.bin'
const read = (place: string, token: string) =>
  send(`${place}/packages/generic/${file}`, { headers: { 'JOB-TOKEN': token } })
const write = (place: string, token: string) =>
  send(`${place}/packages/generic/${file}`, { method: 'PUT', body: 'x', headers: { 'JOB-TOKEN': token } })

test('a job publishes and reads in its own project, until it ends', async () => {
  const { place, project } = await newProject()
  const job = await jobWithToken(server, { projectId: project.id, userId: people.developer.id })
  expect(await write(place, job.token)).toMatchObject({ status: 201 })
  expect(await read(place, job.token)).toMatchObject({ status: 200, body: 'x' })
  await job.end()
  expect(await read(place, job.token)).toMatchObject({ status: 401 })
})

test('a job reaches another project as long as it is listed there, with the role of its user', async () => {
  const [own, other] = [await newProject(), await newProject()]
  await publish(people.developer, other.place, file)
  const jobOf = (person: { id: number }) => jobWithToken(server, { projectId: own.project.id, userId: person.id })
  const [developer, reporter] = [await jobOf(people.developer), await jobOf(people.reporter)]
  expect(await read(other.place, developer.token)).toMatchObject({ status: 403 })
  const list = `${other.place}/job_token_scope/allowlist`
  expect(await people.owner.post(list, { target_project_id: own.project.id })).toMatchObject({ status: 201 })
  expect(await read(other.place, developer.token)).toMatchObject({ status: 200 })
  expect(await write(other.place, developer.token)).toMatchObject({ status: 201 })
  expect(await read(other.place, reporter.token)).toMatchObject({ status: 200 })
  expect(await write(other.place, reporter.token)).toMatchObject({ status: 403 })
  expect(await people.owner.delete(`${list}/${own.project.id}`)).toMatchObject({ status: 204 })
  expect(await read(other.place, developer.token)).toMatchObject({ status: 403 })
  expect(await write(other.place, developer.token)).toMatchObject({ status: 403 })
})

test('a job reads the packages of a public project, and writes none', async () => {
  const [own, open] = [await newProject(), await newProject({ visibility: 'public' })]
  await publish(people.developer, open.place, file)
  const { token } = await jobWithToken(server, { projectId: own.project.id, userId: people.owner.id })
  expect(await read(open.place, token)).toMatchObject({ status: 200 })
  expect(await write(open.place, token)).toMatchObject({ status: 403 })
})

test('a job reads over a group what the projects below it admit, also as an administrator', async () => {
  const namespace = await server.make.group('jobs-of-groups', people.owner)
  const [own, other] = [await newProject({ namespace }), await newProject({ namespace })]
  const tokenOf = async (projectId: number, userId: number) => (await jobWithToken(server, { projectId, userId })).token
  const path = 'packages/maven/g/p/1.0/p.jar'
  const headers = { 'JOB-TOKEN': await tokenOf(other.project.id, people.developer.id) }
  expect(await send(`${other.place}/${path}`, { method: 'PUT', body: 'x', headers })).toMatchObject({ status: 200 })
  const readers = [people.developer.id, 1].map((userId) => tokenOf(own.project.id, userId))
  const statuses = async () => {
    const asked = (await Promise.all(readers)).map((token) =>
      send(`/groups/${namespace.id}/-/${path}`, { headers: { 'JOB-TOKEN': token } }),
    )
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  expect(await statuses()).toEqual([403, 403])
  const list = `${other.place}/job_token_scope/groups_allowlist`
  expect((await people.owner.post(list, { target_group_id: namespace.id })).status).toBe(201)
  expect(await statuses()).toEqual([200, 200])
})
