import { describe, expect, test } from 'vitest'
import { type Client, projectWithMembers } from '../../../testing/index.ts'
import { base, named, people, protect, serveRulesForTests, server, unprocessable } from '../testing.ts'

serveRulesForTests()

describe('1.21 update', () => {
  const patch = (name: string, body: unknown, client: Client = people.maintainer) =>
    client.patch(`${base}/${encodeURIComponent(name)}`, body)

  test('adds, changes and removes entries without changing others', async () => {
    const { developer, reporter } = people
    const made = await protect({ name: 'changed', allowed_to_push: [{ access_level: 30 }, { user_id: developer.id }] })
    const [first, second] = made.body.push_access_levels
    const added = await patch('changed', { allowed_to_push: [{ user_id: reporter.id }], allow_force_push: true })
    expect(added).toMatchObject({ status: 200, body: { allow_force_push: true } })
    const third = added.body.push_access_levels[2]
    expect(named(added.body.push_access_levels)).toEqual([
      [30, null, null],
      [null, developer.id, null],
      [null, reporter.id, null],
    ])
    const changed = await patch('changed', {
      push_access_level: 0,
      allowed_to_push: [
        { id: first.id, user_id: people.owner.id },
        { id: second.id },
        { id: third.id, _destroy: true },
      ],
    })
    expect(named(changed.body.push_access_levels)).toEqual([
      [null, people.owner.id, null],
      [null, developer.id, null],
    ])
    expect(changed.body.push_access_levels[0].id).toBe(first.id)
    expect(changed.body.merge_access_levels).toEqual(made.body.merge_access_levels)
    const replaced = await patch('changed', {
      allowed_to_push: [
        { id: second.id, _destroy: true },
        { user_id: developer.id, _destroy: false },
      ],
    })
    expect(named(replaced.body.push_access_levels)).toEqual(named(changed.body.push_access_levels))
    const emptied = await patch('changed', {
      allowed_to_push: replaced.body.push_access_levels.map(({ id }: { id: number }) => ({
        ...{ id, _destroy: true, access_level: 30 },
      })),
    })
    expect(emptied.body.push_access_levels).toEqual([])
    expect((await patch('changed', {})).body).toEqual(emptied.body)
    expect((await patch('changed', { code_owner_approval_required: 'true' })).body.code_owner_approval_required).toBe(
      true,
    )
  })

  test('swaps two entries at once', async () => {
    const { body } = await protect({ name: 'swap', allowed_to_merge: [{ access_level: 30 }, { access_level: 40 }] })
    const [a, b] = body.merge_access_levels
    const swapped = await patch('swap', {
      allowed_to_merge: [
        { id: a.id, access_level: 40 },
        { id: b.id, access_level: 30 },
      ],
    })
    expect(named(swapped.body.merge_access_levels)).toEqual([
      [40, null, null],
      [30, null, null],
    ])
  })

  test('is all or nothing', async () => {
    const made = (await protect({ name: 'whole' })).body
    const other = (await protect({ name: 'other' })).body
    const foreign = other.push_access_levels[0].id
    for (const body of [
      { allow_force_push: true, allowed_to_push: [{ access_level: 30 }, { id: foreign, _destroy: true }] },
      { allowed_to_push: [{ access_level: 30 }], allowed_to_merge: [{ id: 4_000_000_000 }] },
    ])
      expect(await patch('whole', body)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect(
      await patch('whole', { allowed_to_push: [{ access_level: 40 }, { user_id: people.outsider.id }] }),
    ).toMatchObject(
      unprocessable(
        'Push access levels user is not a member of the project',
        'Push access levels access level has already been taken',
      ),
    )
    const [entry] = made.push_access_levels
    expect(await patch('whole', { allowed_to_push: [{ id: entry.id, access_level: 30, user_id: 1 }] })).toMatchObject(
      unprocessable('Push access levels must set exactly one of access_level, user_id, group_id or deploy_key_id'),
    )
    const many = Array.from({ length: 100 }, () => ({ access_level: 30 }))
    expect(await patch('whole', { allowed_to_push: many })).toMatchObject(
      unprocessable('Push access levels is too long (maximum is 100)'),
    )
    expect((await people.maintainer.get(`${base}/whole`)).body).toEqual(made)
  })

  test('refuses a blank flag and accepts an absent one', async () => {
    await protect({ name: 'blank', allow_force_push: true })
    for (const allow_force_push of ['', ' ', null])
      expect(await patch('blank', { allow_force_push })).toMatchObject({
        status: 400,
        body: { message: { allow_force_push: ['is empty'] }, error: 'allow_force_push is empty' },
      })
    expect((await patch('blank', {})).body.allow_force_push).toBe(true)
    expect((await patch('blank', { allow_force_push: false })).body.allow_force_push).toBe(false)
  })

  test('applies concurrent changes', async () => {
    await protect({ name: 'busy', allowed_to_push: [{ access_level: 0 }] })
    const users = [people.owner, people.maintainer, people.developer, people.reporter]
    const answers = await Promise.all(users.map(({ id }) => patch('busy', { allowed_to_push: [{ user_id: id }] })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await people.maintainer.get(`${base}/busy`)).body.push_access_levels).toHaveLength(5)
    const twice = await Promise.all([0, 1].map(() => patch('busy', { allowed_to_push: [{ access_level: 30 }] })))
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 422])
  })

  test('requires a maintainer on the unprotect list', async () => {
    const { owner, maintainer, developer } = people
    await protect({ name: 'guarded', allowed_to_unprotect: [{ user_id: owner.id }] })
    expect(await patch('guarded', { allow_force_push: true })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
    expect((await maintainer.delete(`${base}/guarded`)).status).toBe(403)
    expect((await patch('guarded', { allow_force_push: true }, developer)).status).toBe(403)
    expect((await patch('guarded', { allow_force_push: true }, owner)).status).toBe(200)
    expect((await patch('guarded', { allow_force_push: false }, server.root)).status).toBe(200)
    await protect({ name: 'administrators', unprotect_access_level: 60 })
    expect((await owner.delete(`${base}/administrators`)).status).toBe(403)
    expect((await server.root.delete(`${base}/administrators`)).status).toBe(204)
    const { body } = await protect({ name: 'anybody' })
    const [entry] = body.unprotect_access_levels
    expect(
      (await patch('anybody', { allowed_to_unprotect: [{ id: entry.id, _destroy: true }] })).body
        .unprotect_access_levels,
    ).toEqual([])
    expect((await patch('anybody', { allow_force_push: true })).status).toBe(200)
    expect(await patch('nothing', {})).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })
})

describe('1.20 delete', () => {
  test('deletes the rule unless it was modified since', async () => {
    await protect({ name: 'gone' })
    const headers = { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' }
    expect(await people.maintainer.delete(`${base}/gone`, { headers })).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    expect((await people.developer.delete(`${base}/gone`)).status).toBe(403)
    expect(await people.maintainer.delete(`${base}/gone`)).toMatchObject({ status: 204, body: '' })
    expect(await people.maintainer.delete(`${base}/gone`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })
})

test('the rules of an archived project cannot be changed', async () => {
  const { project, maintainer } = await projectWithMembers(server)
  const path = `/projects/${project.id}/protected_branches`
  await protect({ name: 'kept' }, maintainer, path)
  await server.app.platform.database.write((tx) =>
    tx.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute(),
  )
  expect((await protect({ name: 'more' }, maintainer, path)).status).toBe(403)
  expect((await maintainer.patch(`${path}/kept`, { allow_force_push: true })).status).toBe(403)
  expect((await maintainer.delete(`${path}/kept`)).status).toBe(403)
  expect((await maintainer.get(path)).body).toHaveLength(1)
})

test('a project has at most five thousand rules', async () => {
  const { project, maintainer } = await projectWithMembers(server)
  const path = `/projects/${project.id}/protected_branches`
  const moment = server.app.platform.clock.now().toISOString()
  const rows = Array.from({ length: 5_000 }, (_, index) => ({
    project_id: project.id,
    namespace_id: null,
    name: `rule${index}`,
    created_at: moment,
    updated_at: moment,
  }))
  await server.app.platform.database.write(async (tx) => {
    for (let index = 0; index < rows.length; index += 500)
      await tx
        .insertInto('protected_branches')
        .values(rows.slice(index, index + 500))
        .execute()
  })
  expect(await protect({ name: 'one-more' }, maintainer, path)).toMatchObject(
    unprocessable('Protected branches is too long (maximum is 5000)'),
  )
  expect((await maintainer.delete(`${path}/rule7`)).status).toBe(204)
  expect((await protect({ name: 'one-more' }, maintainer, path)).status).toBe(201)
})
