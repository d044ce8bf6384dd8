import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { codeOf } from '../http/testing.ts'
import { type Images, startImages } from '../manifests/testing.ts'
import { imageRowsOf } from './testing.ts'

let images: Images
let make: ReturnType<typeof imageRowsOf>
beforeAll(async () => {
  images = await startImages()
  make = imageRowsOf(images.server)
})
afterAll(() => images.server.stop())

const list = (name: string, query = '') =>
  images.registry.send('GET', `${name}/tags/list${query}`, { scope: `${name}:pull` })

async function repository(path: string, tags: readonly string[]) {
  const project = await images.server.make.project(path, images.owner)
  const id = await make.repository(project)
  await make.image(id, path, { tags })
  return { name: project.full_path, id }
}

/** The tags of every page, by the links. */
async function walk(first: string, name: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const { body, headers } = await images.registry.send('GET', path, { scope: `${name}:pull` })
    pages.push(body.tags)
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  return pages
}

describe('tags', () => {
  const names = ['A', 'V1', '_', 'latest', 'v1', 'v1.0', 'v1_0']

  test('are listed in byte order', async () => {
    const { name } = await repository('ordered', [...names].reverse())
    const { status, body, headers } = await list(name)
    expect([status, body, headers.get('link')]).toEqual([200, { name, tags: names }, null])
    expect((await list(name, '?last=Z')).body.tags).toEqual(names.slice(2))
    expect((await list(name, '?last=v1%00')).body.tags).toEqual(names.slice(5))
    expect((await list(name, '?last=%F0%9F%98%80&n=5')).body.tags).toEqual([])
  })

  test('are listed in pages that the link connects', async () => {
    const { name } = await repository('paged', names)
    const { body, headers } = await list(name, '?n=2')
    expect([body.tags, headers.get('link')]).toEqual([['A', 'V1'], `</v2/${name}/tags/list?n=2&last=V1>; rel="next"`])
    expect(await walk(`/v2/${name}/tags/list?n=3`, name)).toEqual([
      names.slice(0, 3),
      names.slice(3, 6),
      names.slice(6),
    ])
    expect(await walk(`/v2/${name}/tags/list?n=7`, name)).toEqual([names])
    const none = await list(name, '?n=0')
    expect([none.body.tags, none.headers.get('link')]).toEqual([[], null])
  })

  test.each(['-1', 'x', '', '1.5', '+1', '0x1', '1e3', '%00'])('are refused for n=%s', async (count) => {
    const { name } = await repository(`refused-${Buffer.from(count).toString('hex')}x`, ['v1'])
    const { status, body } = await list(name, `?n=${count}`)
    const problem = {
      code: 'PAGINATION_NUMBER_INVALID',
      message: 'invalid number of results requested',
      detail: { n: decodeURIComponent(count.replace('+', ' ')) },
    }
    expect([status, body]).toEqual([400, { errors: [problem] }])
  })

  test('are none in a repository without tags, which is known once it has content', async () => {
    const { name, id } = await repository('emptied', ['v1'])
    const before = await list(`${name}/never`)
    expect([...codeOf(before), before.body.errors[0].detail]).toEqual([404, 'NAME_UNKNOWN', { name: `${name}/never` }])
    expect((await images.remove(name, 'v1')).status).toBe(202)
    expect(id).toBeGreaterThan(0)
    expect((await list(name)).body).toEqual({ name, tags: [] })
  })

  test('of a large repository are all sent, and read in batches; a page takes as many queries as a small one', async () => {
    const many = Array.from({ length: 10_500 }, (_, index) => `t${String(index).padStart(6, '0')}`)
    const { name } = await repository('large', many)
    expect((await list(name)).body.tags).toEqual(many)
    const clamped = await list(name, '?n=99999999999999999999')
    expect(clamped.body.tags).toEqual(many.slice(0, 1000))
    const small = await repository('small', ['v1'])
    const page = (of: string) => queriesOf(images.server, () => list(of, '?n=100&last=t005000'))
    expect(await page(name)).toBe(await page(small.name))
  })
})

describe('the catalog', () => {
  const catalog = (query = '') => images.registry.send('GET', `_catalog${query}`, { scope: 'catalog:*' })

  test('has the current paths of repositories in byte order', async () => {
    const { server, owner } = images
    for (const path of ['zeta', 'zeta-x', 'zeta.x']) await make.repository(await server.make.project(path, owner))
    const project = await server.make.project('zetas', owner)
    const below = await make.repository(project, 'web/api')
    const deleted = await make.repository(project, 'deleted')
    const { database } = server.app.platform
    const setStatus = (id: number, status: 'delete_ongoing' | 'delete_failed') =>
      database.write((tx) => tx.updateTable('registry_repositories').set({ status }).where('id', '=', id).execute())
    await setStatus(deleted, 'delete_ongoing')
    await setStatus(below, 'delete_failed')
    await make.repository(await server.make.project('zeta_y', owner))
    const found = await catalog('?last=owner/zeta')
    expect(found.body).toEqual({
      repositories: ['owner/zeta-x', 'owner/zeta.x', 'owner/zeta_y', 'owner/zetas/web/api'],
    })
    const first = await catalog('?last=owner/zeta&n=2')
    expect([first.body.repositories, first.headers.get('link')]).toEqual([
      ['owner/zeta-x', 'owner/zeta.x'],
      '</v2/_catalog?n=2&last=owner%2Fzeta.x>; rel="next"',
    ])
    await owner.put('/projects/owner%2Fzetas', { path: 'renamed' })
    expect((await catalog('?last=owner/ren&n=1')).body.repositories).toEqual(['owner/renamed/web/api'])
    expect((await catalog('?n=0')).body).toEqual({ repositories: [] })
    expect((await catalog('?last=zz%00')).body).toEqual({ repositories: [] })
  })

  test.each(['-1', 'x', '', '1001'])('is refused for n=%s', async (count) => {
    expect(codeOf(await catalog(`?n=${count}`))).toEqual([400, 'PAGINATION_NUMBER_INVALID'])
  })

  test('needs a token for it', async () => {
    const { status, headers } = await images.registry.send('GET', '_catalog', { scope: 'owner/zeta:pull' })
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('scope="registry:catalog:*",error="insufficient_scope"'),
    ])
  })
})
