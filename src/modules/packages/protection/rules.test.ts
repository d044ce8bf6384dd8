import { describe, expect, test } from 'vitest'
import { basic, deployToken, newProject, people, publish, send, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

const rule = (pattern: string, levels: object = { minimum_access_level_for_push: 'owner' }, type = 'generic') => ({
  ...{ package_name_pattern: pattern, package_type: type },
  ...levels,
})
const refused = (sentence: string) => ({ status: 422, body: { message: { error: [sentence] } } })
const taken = refused('Package name pattern has already been taken')
const empty = refused('A rule must have at least a minimum access role for push or delete.')

async function withRules() {
  const made = await newProject()
  return { ...made, path: `${made.place}/packages/protection/rules` }
}

describe('rules', () => {
  test('are created, listed, changed and deleted', async () => {
    const { path, project } = await withRules()
    const { status, body } = await people.maintainer.post(path, rule('tool*'))
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), project_id: project.id, package_name_pattern: 'tool*', package_type: 'generic' },
        ...{ minimum_access_level_for_delete: null, minimum_access_level_for_push: 'owner' },
      },
    ])
    expect((await people.maintainer.get(path)).body).toEqual([body])
    const changes = { minimum_access_level_for_push: '', minimum_access_level_for_delete: 'admin' }
    const changed = await people.maintainer.patch(`${path}/${body.id}`, changes)
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...body, minimum_access_level_for_push: null, minimum_access_level_for_delete: 'admin' },
    ])
    expect(
      await people.maintainer.patch(`${path}/${body.id}`, { minimum_access_level_for_delete: null }),
    ).toMatchObject(empty)
    expect((await people.maintainer.delete(`${path}/${body.id}`)).status).toBe(204)
    expect((await people.maintainer.delete(`${path}/${body.id}`)).status).toBe(404)
  })

  test('are refused when they are wrong', async () => {
    const { path } = await withRules()
    const create = (body: unknown) => people.maintainer.post(path, body)
    await create(rule('tool'))
    const both = await Promise.all([create(rule('twice')), create(rule('twice'))])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(await create(rule('tool'))).toMatchObject(taken)
    expect((await create(rule('tool', undefined, 'maven'))).status).toBe(201)
    const levels = 'minimum_access_level_for_delete, minimum_access_level_for_push'
    expect(await create(rule('a', {}))).toMatchObject({
      status: 400,
      body: { error: `${levels} are missing, at least one parameter must be provided` },
    })
    expect(await create(rule('a', { minimum_access_level_for_push: '' }))).toMatchObject(empty)
    for (const [body, error] of [
      [{ ...rule('a'), package_name_pattern: undefined }, 'package_name_pattern is missing'],
      [{ ...rule('a'), package_type: undefined }, 'package_type is missing'],
      [rule('a', undefined, 'zip'), 'package_type does not have a valid value'],
      [
        rule('a', { minimum_access_level_for_push: 'developer' }),
        'minimum_access_level_for_push does not have a valid value',
      ],
      [
        rule('a', { minimum_access_level_for_delete: 'maintainer' }),
        'minimum_access_level_for_delete does not have a valid value',
      ],
    ] as const)
      expect(await create(body)).toMatchObject({ status: 400, body: { error } })
    expect((await create(rule('x'.repeat(256)))).status).toBe(400)
    expect((await people.maintainer.patch(`${path}/x`, {})).body.error).toBe('package_protection_rule_id is invalid')
  })

  test.each([
    ['npm', '@scope/*', true],
    ['npm', 'v*', true],
    ['npm', '*', true],
    ['npm', '*@scope/x', false],
    ['npm', 'a b', false],
    ['npm', '@scope/a/b', false],
    ['pypi', 'my.pkg*', true],
    ['pypi', 'a/b', false],
    ['generic', 'any thing', true],
  ])('of %s may have the pattern %s: %s', async (type, pattern, isAllowed) => {
    const { path } = await withRules()
    const answer = await people.maintainer.post(path, rule(pattern, undefined, type))
    if (isAllowed) expect(answer.status).toBe(201)
    else {
      const title = type === 'npm' ? 'NPM' : 'PyPI'
      const sentence = `Package name pattern should be a valid ${title} package name with optional wildcard characters.`
      expect(answer).toMatchObject(refused(sentence))
    }
  })

  test('are for maintainers', async () => {
    const { path, place } = await withRules()
    const ask = async (name: keyof typeof people) => (await people[name].get(path)).status
    expect([await ask('maintainer'), await ask('developer'), await ask('outsider')]).toEqual([200, 403, 404])
    expect((await server.anonymous.get(path)).status).toBe(401)
    expect((await people.developer.post(path, rule('a'))).status).toBe(403)
    await people.owner.put(place, { package_registry_access_level: 'disabled' })
    expect((await people.owner.get(path)).status).toBe(403)
  })
})

describe('a protected package', () => {
  const isProtected = { status: 403, body: { message: '403 Forbidden - Package protected.' } }

  test('is published by the roles that the highest rule names', async () => {
    const { path, place } = await withRules()
    await people.maintainer.post(path, rule('Tool*', { minimum_access_level_for_push: 'maintainer' }))
    await people.maintainer.post(path, rule('*box', { minimum_access_level_for_push: 'owner' }))
    await people.maintainer.post(path, rule('toolbox', { minimum_access_level_for_push: 'admin' }, 'npm'))
    expect(await publish(people.developer, place, 'tools/1.0/f')).toMatchObject(isProtected)
    expect(await publish(people.developer, place, 'TOOLS/1.0/f')).toMatchObject(isProtected)
    expect((await publish(people.maintainer, place, 'tools/1.0/f')).status).toBe(201)
    expect(await publish(people.maintainer, place, 'toolbox/1.0/f')).toMatchObject(isProtected)
    expect((await publish(people.owner, place, 'toolbox/1.0/f')).status).toBe(201)
    expect((await publish(people.developer, place, 'free/1.0/f')).status).toBe(201)
    const token = await deployToken(people.owner, place, ['write_package_registry'])
    const options = { method: 'PUT', body: 'x', headers: basic(token) }
    expect(await send(`${place}/packages/generic/tools/1.0/g`, options)).toMatchObject(isProtected)
  })

  test('is deleted by the roles that the rule names', async () => {
    const { path, place } = await withRules()
    await people.maintainer.post(path, rule('tool', { minimum_access_level_for_delete: 'admin' }))
    const { body } = await publish(people.developer, place, 'tool/1.0/f?select=package_file')
    const at = `${place}/packages/${body.package_id}`
    const refusal = { status: 403, body: { message: '403 Forbidden - Package is deletion protected.' } }
    expect(await people.owner.delete(at)).toMatchObject(refusal)
    expect(await people.owner.delete(`${at}/package_files/${body.id}`)).toMatchObject(refusal)
    expect((await server.root.delete(at)).status).toBe(204)
  })
})
