import { Readable } from 'node:stream'
import { type StreamedJson, streamedJson } from '../../../api/index.ts'
import { portionsOf, type Reader } from '../../../infra/database/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { manyTagNamesAfter } from '../tags/store.ts'
import { type PresentedRepository, presentTag } from './present.ts'

/** Names of tags that are read at once. */
const namesAtOnce = 200_000
/** Names of tags that one piece of JSON has. */
const namesOfPiece = 2000

/** The tags of a repository as the elements of a JSON array. */
async function* tagsJson(db: Reader, host: string, { id, path }: PresentedRepository): AsyncGenerator<string> {
  // A name has no character that JSON escapes, so the texts around it are the same for all.
  const around = JSON.stringify(presentTag(host, path, '\0')).split('\\u0000')
  for (let last: string | undefined = ''; last !== undefined; ) {
    const names = await manyTagNamesAfter(db, id, last, namesAtOnce)
    for (const [index, some] of [...portionsOf(names, namesOfPiece)].entries()) {
      const piece = some.map((name) => around.join(name)).join(',')
      yield last !== '' || index > 0 ? `,${piece}` : piece
    }
    last = names.length < namesAtOnce ? undefined : names.at(-1)
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
  return streamedJson({ headers: {}, body: async () => handled(Readable.from(repositoryJson(db, host, presented))) })
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
  return streamedJson({ headers: {}, body: async () => handled(Readable.from(listJson(db, host, all))) }, page)
}
