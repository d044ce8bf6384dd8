/** What clients can send, against what the server has: the comparison, and gitbeaker, which the tests have anyway. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as gitbeaker from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../src/testing/index.ts'
import { requestsOfClientGo } from './client-go.ts'
import { requestsOfGitbeaker } from './gitbeaker.ts'
import { leftOut } from './left-out.ts'
import { compare, isNamed, mounted, serving, staleOf } from './surface.ts'

const isServed = serving(mounted)
const listed = leftOut.flatMap(({ requests }) => requests)

test.each([
  ['GET /projects/:', true],
  ['HEAD /projects/:', true],
  ['PATCH /projects/:', false],
  ['GET /projects/:/repository/archive', true],
  ['GET /projects/:/repository/archive.:', true],
  ['GET /groups/:/-/search', true],
  ['GET /projects/:/nothing_of_this_name', false],
  ['GET /projects/:/issues/statuses', false],
  ['PUT /projects/:/services/slack', true],
  ['GET /projects/:/packages/maven/:/:/:', true],
])('%s: has an operation: %s', (request, expected) => {
  expect(isServed(request)).toBe(expected)
})

test.each([
  ['GET /a/:', 'GET /a/:', true],
  ['PUT /a/:', 'GET /a/:', false],
  ['PUT /a/:', '* /a/:', true],
  ['GET /a/:/b', 'GET /a/:', false],
  ['GET /a/:/b', 'GET /a/**', true],
  ['GET /a', 'GET /a/**', true],
  ['GET /ab', 'GET /a/**', false],
])('%s is named by %s: %s', (request, entry, expected) => {
  expect(isNamed(request, entry)).toBe(expected)
})

test('requests are served, left out, or absent', () => {
  const requests = ['GET /b', 'GET /a', 'GET /c/d', 'GET /b']
  const compared = compare(requests, {
    isServed: (request) => request === 'GET /a',
    leftOut: [{ because: 'a reason', requests: ['* /c/**', 'GET /a'] }],
  })
  expect(compared).toEqual({ served: ['GET /a'], leftOut: ['GET /c/d'], absent: ['GET /b'] })
})

test('a listed request that no client sends, or that the server has, is stale', () => {
  expect(staleOf([{ because: 'a reason', requests: ['* /a/**', 'GET /b'] }], ['GET /a/c'])).toEqual(['GET /b'])
})

describe('what is left out', () => {
  test('is listed once, and the server does not have it', () => {
    expect(listed.filter((entry, index) => listed.indexOf(entry) !== index)).toEqual([])
    expect(listed.filter((entry) => !entry.startsWith('*') && isServed(entry.replace('/**', '')))).toEqual([])
  })

  test('has the rows of the contract as reasons, and each of them', async () => {
    const contract = await readFile(join(import.meta.dirname, '../../../docs/contract/26-remaining.md'), 'utf8')
    const section = contract.split(/^## /m).find((part) => part.startsWith('21 Left out')) ?? ''
    const rows = [...section.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].map(([, name]) => name).slice(1)
    expect(rows).toEqual(leftOut.map(({ because }) => because))
  })
})

test('gitbeaker sends nothing that is absent', async () => {
  const { requests, silent } = await requestsOfGitbeaker(gitbeaker)
  const { served, absent } = compare(requests, { isServed, leftOut })
  expect(absent).toEqual([])
  expect(silent).toEqual([])
  expect(served.length).toBeGreaterThan(700)
})

const sources = `
var (
	routeThings   = route("projects/%s/things/%d")
	routeArchive  = route("projects/%s/archive%s")
	routeUploads  = route("%s/%s/uploads")
)

// Gets. return do[*Thing](s.client, withPath(routeGone))
func (s *Service) Get(id int64) (*Thing, error) {
	return do[*Thing](s.client, withPath(routeThings, ProjectID{pid}, id))
}

func (s *Service) Change(opts ...Option) (*Thing, error) {
	return do[*Thing](s.client,
		withMethod(http.MethodPut),
		withPath(routeThings, id),
	)
}

func (s *Service) Archive() { do[none](s.client, withPath(routeArchive, id, format)) }

func uploads() { do[none](client, withMethod(http.MethodPost), withPath(routeUploads, kind, id)) }

func (s *Service) Send() error {
	u, err := s.FormatURL(id)
	req, err := s.client.NewRequest(http.MethodGet, u, opt, options)
	req.Method = http.MethodPut
}

func (s *Service) FormatURL(id int64) (string, error) {
	return fmt.Sprintf("projects/%s/files/%s", id, name), nil
}

func (s *Service) Import() { s.client.NewRequest(http.MethodPost, "groups/import", nil, options) }

func (s *Service) Unknown() { do[none](s.client, withPath(routeElsewhere)) }
`

test('the sources of client-go name methods and paths', async () => {
  await using folder = await temporaryDirectory()
  await mkdir(join(folder.path, 'internal'))
  await writeFile(join(folder.path, 'things.go'), sources)
  await writeFile(join(folder.path, 'things_test.go'), sources.replaceAll('things', 'tested'))
  const { requests, silent } = requestsOfClientGo(folder.path)
  expect(requests.sort()).toEqual([
    'GET /projects/:/archive',
    'GET /projects/:/archive.:',
    'GET /projects/:/things/:',
    'POST /groups/:/uploads',
    'POST /groups/import',
    'POST /projects/:/uploads',
    'PUT /projects/:/files/:',
    'PUT /projects/:/things/:',
  ])
  expect(silent).toEqual(['Unknown'])
})
