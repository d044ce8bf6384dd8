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
