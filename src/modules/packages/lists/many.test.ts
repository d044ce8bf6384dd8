import { afterEach, expect, test } from 'vitest'
import { thresholds } from '../../../infra/database/index.ts'
import { makePackages } from '../reading/testing.ts'
import { newProject, people, publish, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

const before = { ...thresholds }
afterEach(() => {
  Object.assign(thresholds, before)
})

/** A group whose projects have 4 to 16 packages each, and one that has none. */
async function filledGroup() {
  const group = await server.make.group(`filled-${performance.now()}`.replace('.', '-'), people.owner)
  const below = await server.make.group('below', people.owner, { parent: group })
  for (const count of [4, 0, 16, 9]) {
    const { project, place } = await newProject({ namespace: count > 9 ? below : group })
    const type = count === 9 ? 'pypi' : 'npm'
    const named = Array.from(
      { length: count },
      (_, index) => [`lib-${(index * 7) % 5}`, `1.${index}.${count}`] as const,
    )
    if (count > 0) await makePackages(project.id, type, named)
    await publish(people.developer, place, 'hidden/1.0/f?status=hidden')
  }
  return `/groups/${group.id}/packages`
}

const orders = ['created_at', 'name', 'version', 'type', 'project_path']
const filters = ['', '&package_type=npm', '&package_type=pypi', '&exclude_subgroups=true', '&package_name=lib-2']

test.each(orders)(
  'pages of many packages by %s are those of all that are sorted',
  async (order) => {
    const path = await filledGroup()
    const idsOf = async (query: string) =>
      (await people.owner.get(`${path}?${query}`)).body.map(({ id }: { id: number }) => id) as number[]
    for (const sort of ['asc', 'desc']) {
      for (const filter of filters) {
        const query = `order_by=${order}&sort=${sort}${filter}`
        Object.assign(thresholds, before)
        const sorted = await idsOf(`${query}&per_page=100`)
        expect(sorted.length).toBeGreaterThan(4)
        Object.assign(thresholds, { driven: 4, sortedAtOnce: 0 })
        const pages: number[] = []
        for (let page = 1; page <= Math.ceil(sorted.length / 6) + 1; page += 1) {
          pages.push(...(await idsOf(`${query}&per_page=6&page=${page}`)))
        }
        expect([query, pages]).toEqual([query, sorted])
      }
    }
  },
  240_000,
)
