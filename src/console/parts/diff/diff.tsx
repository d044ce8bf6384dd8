import type { Child, Html } from '../../html/index.ts'
import { withQuery } from '../parts.tsx'
import { type ChangedFile, type Piece, pagesOfDiff } from './chunks.ts'
import { Counts, fileDiffs } from './file.tsx'
import type { AtLines } from './lines.tsx'

/** The list of changed files. @param hrefOf where the lines of a file are */
function FileList({
  pages,
  hrefOf,
}: {
  pages: readonly (readonly Piece[])[]
  hrefOf(page: number, index: number): string
}) {
  const files = pages.flatMap((pieces, page) => pieces.map((piece) => ({ piece, page })))
  const first = files.filter(({ piece }) => !piece.isContinued)
  return (
    <details class="files" open={first.length <= 12}>
      <summary>
        {first.length} changed {first.length === 1 ? 'file' : 'files'}
      </summary>
      <ul>
        {first.map(({ piece, page }) => (
          <li>
            <a href={hrefOf(page + 1, piece.index + 1)}>
              <code>{piece.file.new_path}</code>
            </a>{' '}
            <Counts {...piece} />
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Links to the two views of changes. */
export function ViewTabs({ path, isSplit }: { path: string; isSplit: boolean }): Html {
  return (
    <nav class="tabs" aria-label="View">
      <a href={withQuery(path, { view: null })} aria-current={isSplit ? undefined : 'page'}>
        Unified
      </a>
      <a href={withQuery(path, { view: 'split' })} aria-current={isSplit ? 'page' : undefined}>
        Side by side
      </a>
    </nav>
  )
}

type Shown = {
  files: readonly ChangedFile[]
  /** Path and query of the page. It understands `page`, and `view=split`. */
  path: string
  number: number
  isSplit: boolean
  /** What stands beside the links to the two views. */
  beside?: Child
}

/** Links to the pages of a diff. */
export function DiffPages({ path, number, count }: { path: string; number: number; count: number }): Html {
  const hrefOf = (page: number) => withQuery(path, { page: page === 1 ? null : page })
  if (count <= 1) return <></>
  return (
    <nav class="pages" aria-label="Pages">
      {number > 1 && (
        <a rel="prev" href={hrefOf(number - 1)}>
          Previous
        </a>
      )}
      <span>
        Page {number} of {count}
      </span>
      {number < count && (
        <a rel="next" href={hrefOf(number + 1)}>
          Next
        </a>
      )}
    </nav>
  )
}

/** Changes of files, unified or side by side, at most 3,000 lines a page. */
export async function diffs({ files, path, number, isSplit, beside }: Shown): Promise<Html> {
  const pages = pagesOfDiff(files)
  const hrefOf = (page: number) => withQuery(path, { page: page === 1 ? null : page })
  return (
    <div>
      <div class="diff-bar">
        {beside}
        <ViewTabs path={path} isSplit={isSplit} />
      </div>
      <FileList pages={pages} hrefOf={(page, index) => `${page === number ? '' : hrefOf(page)}#file-${index}`} />
      {await fileDiffs(pages[number - 1] ?? [], { isSplit })}
      <DiffPages path={path} number={number} count={pages.length} />
    </div>
  )
}

/** The lines of one file with what is said about them, at most 3,000 lines a page. @param index its place in the whole diff */
export async function diffOfFile(
  file: ChangedFile,
  { index, path, number, isSplit, atLines }: Omit<Shown, 'files' | 'beside'> & { index: number; atLines: AtLines },
): Promise<Html> {
  const pages = pagesOfDiff([file])
  const pieces = (pages[number - 1] ?? []).map((piece) => ({ ...piece, index }))
  return (
    <>
      {await fileDiffs(pieces, { isSplit, atLines })}
      <DiffPages path={path} number={number} count={pages.length} />
    </>
  )
}
