/** The OpenAPI document of the whole server: what generators and linters stumble over is not in it. */
import { validate } from '@readme/openapi-parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../src/testing/index.ts'

type Node = { [keyword: string]: unknown }

// biome-ignore lint/suspicious/noExplicitAny: tests look into every corner of the document
let document: any
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  document = (await server.anonymous.get('/openapi.json')).body
})
afterAll(() => server.stop())

/** Calls `visit` with each object of the document and the path to it. */
function walk(value: unknown, visit: (node: Node, path: string) => void, path = '#'): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, visit, `${path}/${index}`)
  } else if (typeof value === 'object' && value !== null) {
    visit(value as Node, path)
    for (const [key, item] of Object.entries(value)) walk(item, visit, `${path}/${key}`)
  }
}

function offending(isWrong: (node: Node) => boolean): string[] {
  const found: string[] = []
  walk(document, (node, path) => {
    if (isWrong(node)) found.push(path)
  })
  return found
}

test('is valid OpenAPI', async () => {
  const result = await validate(structuredClone(document))
  expect(result.valid ? [] : result.errors).toEqual([])
})

test('names no schema twice', () => {
  expect(Object.keys(document.components.schemas).filter((name) => /_\d+$/.test(name))).toEqual([])
})

test('declares the items of arrays', () => {
  expect(offending(({ type, items }) => [type].flat().includes('array') && items === undefined)).toEqual([])
})

test('names no type twice', () => {
  expect(offending(({ type }) => Array.isArray(type) && new Set(type).size !== type.length)).toEqual([])
})

test('has no dangling references', () => {
  const isThere = (reference: string) => {
    let node: unknown = document
    for (const key of reference.slice(2).split('/')) node = (node as Node | undefined)?.[key]
    return node !== undefined
  }
  expect(offending(({ $ref }) => typeof $ref === 'string' && !isThere($ref))).toEqual([])
})

test('describes every tag', () => {
  const described = document.tags.filter(({ description }: Node) => typeof description === 'string')
  expect(described.map(({ name }: Node) => name)).toEqual(document.tags.map(({ name }: Node) => name))
})

test('has the answers of stars, forks, dry runs and content types', () => {
  const answers = (method: string, path: string) => Object.keys(document.paths[path][method].responses)
  expect(answers('post', '/api/v4/projects/{id}/star')).toContain('304')
  expect(answers('post', '/api/v4/projects/{id}/unstar')).toContain('304')
  expect(answers('delete', '/api/v4/projects/{id}/fork')).toContain('304')
  expect(answers('post', '/api/v4/projects/{id}/repository/commits/{sha}/revert')).toContain('200')
  expect(answers('post', '/{project_path}.git/git-receive-pack')).toContain('415')
  expect(answers('post', '/{project_path}.git/info/lfs/objects/batch')).toContain('415')
})
