import { describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { newProject, people, publish, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

const namesOf = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name)

let count = 0

/** A group with a project and a subgroup with another, of which each has a package. */
async function newGroups() {
  count += 1
  const top = await server.make.group(`top-${count}`, people.owner)
  const below = await server.make.group(`below-${count}`, people.owner, { parent: top })
  const [first, second] = [await newProject({ namespace: top }), await newProject({ namespace: below })]
  await publish(people.developer, first.place, 'upper/1.0/f')
  await publish(people.developer, second.place, 'lower/2.0/f')
  return { top, below, first, second, path: `/groups/${top.id}/packages` }
}

describe('the packages of a project', () => {
  test('are listed in the order that is asked for', async () => {
    const { place } = await newProject()
    for (const path of ['b/1.0/f', 'a/3.0/f', 'c/2.0/f']) await publish(people.developer, place, path)
    const list = async (query: string) => namesOf(await people.reporter.get(`${place}/packages?${query}`))
    expect(await list('')).toEqual(['b', 'a', 'c'])
    expect(await list('sort=desc')).toEqual(['c', 'a', 'b'])
    expect(await list('order_by=name')).toEqual(['a', 'b', 'c'])
    expect(await list('order_by=version&sort=desc')).toEqual(['a', 'c', 'b'])
    expect(await list('order_by=type')).toEqual(['b', 'a', 'c'])
    const page = await people.reporter.get(`${place}/packages?order_by=name&per_page=2&page=2`)
    expect([namesOf(page), page.headers.get('x-total')]).toEqual([['c'], '3'])
  })

  test('are filtered by type, by words of the name, by version and by status', async () => {
    const { place } = await newProject()
    for (const path of ['Tool-Box/1.0/f', 'toolbar/1.1/f', 'x/1.0/f?status=hidden']) {
      await publish(people.developer, place, path)
    }
    const list = async (query: string) => namesOf(await people.reporter.get(`${place}/packages?order_by=name&${query}`))
    expect(await list('package_name=too')).toEqual(['Tool-Box', 'toolbar'])
    expect(await list('package_name=TOOL%20box')).toEqual(['Tool-Box'])
    expect(await list('package_name=%25')).toEqual([])
    expect(await list('package_version=1.1')).toEqual(['toolbar'])
    expect(await list('package_type=generic')).toEqual(['Tool-Box', 'toolbar'])
    expect(await list('package_type=conan')).toEqual([])
    expect(await list('status=hidden')).toEqual(['x'])
    expect(await list('status=error')).toEqual([])
    expect(await list('include_versionless=true')).toEqual(['Tool-Box', 'toolbar'])
  })

  test.each([
    ['order_by=project_path', 'order_by does not have a valid value'],
    ['order_by=x', 'order_by does not have a valid value'],
    ['sort=up', 'sort does not have a valid value'],
    ['package_type=zip', 'package_type does not have a valid value'],
    ['status=gone', 'status does not have a valid value'],
    ['include_versionless=maybe', 'include_versionless is invalid'],
  ])('refuse %s', async (query, error) => {
    const { place } = await newProject()
    expect(await people.reporter.get(`${place}/packages?${query}`)).toMatchObject({ status: 400, body: { error } })
  })

  test('take a constant number of queries', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/0/f')
    const ask = () => people.reporter.get(`${place}/packages`)
    const one = await queriesOf(server, ask)
    for (let version = 1; version < 6; version += 1) await publish(people.developer, place, `tool/${version}/f`)
    expect(await queriesOf(server, ask)).toBe(one)
  })

  test('have the address of their deletion for those who may delete', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f')
    const [of] = [async (name: keyof typeof people) => (await people[name].get(`${place}/packages`)).body[0]]
    const found = await of('maintainer')
    expect(found._links.delete_api_path).toBe(`${server.url}/api/v4${place}/packages/${found.id}`)
    expect(Object.keys((await of('developer'))._links)).toEqual(['web_path'])
  })
})

describe('the packages of a group', () => {
  test('are those of all projects below it that the caller may read', async () => {
    const { first, path, second } = await newGroups()
    const { body } = await people.owner.get(path)
    expect(body).toMatchObject([
      { name: 'upper', project_id: first.project.id, project_path: first.project.full_path },
      { name: 'lower', project_id: second.project.id, project_path: second.project.full_path },
    ])
    const list = async (query: string) => namesOf(await people.owner.get(`${path}?${query}`))
    expect(await list('exclude_subgroups=true')).toEqual(['upper'])
    expect(await list('order_by=project_path&sort=desc')).toEqual(['upper', 'lower'].sort().reverse())
    expect(await list('package_name=low&order_by=name')).toEqual(['lower'])
    expect(namesOf(await people.reporter.get(path)).sort()).toEqual(['lower', 'upper'])
    expect(await people.guest.get(path)).toMatchObject({ status: 200, body: [] })
    expect(await people.outsider.get(path)).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } })
    expect((await server.anonymous.get(path)).status).toBe(404)
  })

  test('follow the access levels of projects', async () => {
    const { first, path, second } = await newGroups()
    await people.owner.put(first.place, { package_registry_access_level: 'disabled' })
    expect(namesOf(await people.owner.get(path))).toEqual(['lower'])
    expect(namesOf(await server.root.get(path))).toEqual(['lower'])
    await people.owner.put(second.place, { package_registry_access_level: 'private' })
    expect(namesOf(await people.reporter.get(path))).toEqual(['lower'])
    await server.root.post('/features/allow_guest_plus_roles_to_pull_packages', { value: true })
    expect(namesOf(await people.guest.get(path))).toEqual([])
    await people.owner.put(second.place, { package_registry_access_level: 'enabled' })
    expect(namesOf(await people.guest.get(path))).toEqual(['lower'])
    await server.root.delete('/features/allow_guest_plus_roles_to_pull_packages')
  })

  test('of a public group are those that are public, for everyone', async () => {
    count += 1
    const open = await server.make.group(`open-${count}`, people.owner, { visibility: 'public' })
    const [shown, hidden] = [
      await newProject({ namespace: open, visibility: 'public' }),
      await newProject({ namespace: open, visibility: 'private' }),
    ]
    for (const { place } of [shown, hidden]) await publish(people.developer, place, 'tool/1.0/f')
    const { body } = await server.anonymous.get(`/groups/${open.id}/packages`)
    expect(body).toMatchObject([{ project_id: shown.project.id }])
    expect(await people.outsider.get(`/groups/${open.id}/packages`)).toMatchObject({ body: [{ name: 'tool' }] })
  })
})
