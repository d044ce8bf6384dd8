import { renderMarkdown } from '../infra/markdown/index.ts'
import { createCommitWriter } from '../modules/commits/index.ts'
import { createWikiModule } from '../modules/wikis/index.ts'
import type { Ground } from './ground.ts'

/** Wikis, the last module of code in the old shape. */
export type Code = ReturnType<typeof composeCode>

export function composeCode(ground: Ground) {
  const wikis = createWikiModule({ ...ground, renderMarkdown, writer: createCommitWriter(ground) })
  return { operations: wikis.operations, wikis }
}
