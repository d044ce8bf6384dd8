import { Readable } from 'node:stream'
import { type StreamedJson, streamedJson } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { tagNamesAfter } from '../tags/store.ts'
import { type PresentedRepository, presentTag } from './present.ts'

/** Names of tags that one piece holds. */
const namesOfPiece = 2000

/** The tags of a repository as the elements of a JSON array. */
async function* tagsJson(db: Reader, host: string, { id, path }: PresentedRepository): AsyncGenerator<string> {
  for (let last: string | undefined, isLast = false; !isLast; ) {
    const names = await tagNamesAfter(db, id, { last, limit: namesOfPiece })
    const piece = names.map((name) => JSON.stringify(presentTag(host, path, name))).join(',')
    yield last !== undefined && piece !== '' ? `,${piece}` : piece
    isLast = names.length < namesOfPiece
    last = names.at(-1)
  }
}

/** A repository as JSON, with all of its tags. @param presented with an empty list of tags */
async function* repositoryJson(db: Reader, host: string, presented: PresentedRepository): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(presented)) {
    if (value === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (name !== 'tags') {
      yield JSON.stringify(value)
      continue
    }
    yield '['
    yield* tagsJson(db, host, presented)
    yield ']'
  }
  yield '}'
}

/** Streams a repository that has more tags than are held in memory. */
export function streamRepository(db: Reader, host: string, presented: PresentedRepository): StreamedJson {
  return streamedJson({ headers: {}, body: async () => Readable.from(repositoryJson(db, host, presented)) })
}

async function* listJson(db: Reader, host: string, all: readonly PresentedRepository[]): AsyncGenerator<string> {
  yield '['
  for (const [index, presented] of all.entries()) {
    if (index > 0) yield ','
    yield* repositoryJson(db, host, presented)
  }
  yield ']'
}

/** Streams a page of repositories that have more tags than are held in memory. */
export function streamRepositories(
  db: Reader,
  host: string,
  all: readonly PresentedRepository[],
  page: NonNullable<StreamedJson['page']>,
): StreamedJson {
  return streamedJson({ headers: {}, body: async () => Readable.from(listJson(db, host, all)) }, page)
}
