import { createHash } from 'node:crypto'
import { notFound } from '../../../../../api/index.ts'
import type { Html } from '../../../../html/index.ts'
import {
  approvalsGet,
  type DiscussionObject,
  draftNotesPublishAll,
  mergeRequestsDiffFiles,
  mergeRequestsDiffs,
  named,
  suggestionsApply,
} from '../../../../operations.ts'
import { page, type View, type Visit } from '../../../../page.ts'
import {
  type AtLines,
  Counts,
  DiffPages,
  diffOfFile,
  fileDiffs,
  isLine,
  type Line,
  lineId,
  type Piece,
  piecesOfPage,
  ViewTabs,
} from '../../../../parts/diff/index.ts'
import { draftOperations, performedIn } from '../../../../parts/discussion/index.ts'
import { Empty, withQuery } from '../../../../parts/parts.tsx'
import { RequestHead, requestCrumbs } from '../head.tsx'
import { requestConversation } from '../names.ts'
import { type ReadRequest, readRequest } from '../read.ts'
import { ReviewBox } from '../review/box.tsx'
import { FileTree } from './file-tree.tsx'
import { atOf, FormOfScript, isAt, LineForm } from './line-form.tsx'
import {
  type DiffFile,
  draftsAt,
  isOf,
  type LineThreads,
  readLineThreads,
  readVersions,
  threadsAt,
  type Version,
  type Versions,
} from './read.ts'
import { LineTalk, OtherThreads } from './threads.tsx'
import { VersionMenu } from './versions.tsx'

/** A page of the diff has so many files. */
const filesOfPage = 50

const discussionsGet = named('merge_request_discussions.get')

/** The address of the page that has a file, by its place in the diff. */
function addressOfFile({ path, number }: Visit, index: number): string {
  const page = Math.floor(index / filesOfPage) + 1
  const anchor = `#file-${index + 1}`
  const isHere = page === number && !path.includes('file=')
  const changes = { page: page === 1 ? null : page, file: null, at: null, suggest: null, thread: null }
  return isHere ? anchor : `${withQuery(path, changes)}${anchor}`
}

const isOpenThread = ({ notes }: DiscussionObject) => notes.some(({ resolvable, resolved }) => resolvable && !resolved)

type Shown = { visit: Visit; of: ReadRequest; versions: Versions; version: Version; threads: LineThreads }

/** What is shown at the lines of the diff: threads, the form that the address asks for, and links that ask for one. */
function atLinesOf({ visit, of, versions, version, threads }: Shown): AtLines {
  const at = atOf(visit)
  const here = withQuery(visit.path, { at: null, suggest: null, thread: null }).replace(/^[^?]*\??/, '')
  const mayStart = threads.talk.mayComment && !/^0+$/.test(version.base_commit_sha)
  const talkAt = ({ file: { new_path: path } }: Piece, line: Line | null) => {
    const [own, drafts] = [threadsAt(threads, path, line), draftsAt(threads, path, line)]
    if (own.length === 0 && drafts.length === 0) return null
    return <LineTalk visit={visit} threads={threads} of={own} drafts={drafts} />
  }
  const talked = ({ rows, file: { new_path: path } }: Piece) =>
    [null, ...rows.filter(isLine)].some(
      (line) => threadsAt(threads, path, line).some(isOpenThread) || draftsAt(threads, path, line).length > 0,
    )
  return {
    hrefOf(piece, line) {
      if (!mayStart) return null
      const [before, after] = line.at
      return `?${here === '' ? '' : `${here}&`}at=${piece.index + 1}_${before}_${after}#${lineId(piece, line)}`
    },
    below(piece, line) {
      const own = talkAt(piece, line)
      const isAsked = mayStart && isAt(at, piece, line)
      if (own === null && !isAsked) return null
      return (
        <>
          {own}
          {isAsked && (
            <LineForm
              visit={visit}
              call={of.call}
              piece={piece}
              line={line}
              version={version}
              review={threads.talk.review}
            />
          )}
        </>
      )
    },
    above: (piece) => (
      <>
        {talkAt(piece, null)}
        <OtherThreads visit={visit} threads={threads} path={piece.file.new_path} versions={versions.versions} />
      </>
    ),
    isOpen: (piece) => at?.index === piece.index || talked(piece),
    hrefOfLines: ({ index }) =>
      `${withQuery(visit.path, { file: index + 1, page: null, at: null, suggest: null })}#file-${index + 1}`,
    markOf: ({ file }) => createHash('sha1').update(`${file.new_path}\n${file.diff}`).digest('hex').slice(0, 12),
  }
}

/** The files of this page, or the one that the address names. */
async function readFiles(visit: Visit, { call }: ReadRequest, { id }: Version) {
  const [, wanted] = /^([1-9]\d{0,5})$/.exec(visit.query.file ?? '') ?? []
  const asked = { ...call, version_id: id }
  if (!wanted) {
    return {
      only: null,
      ...(await visit.read(mergeRequestsDiffs, { ...asked, page: visit.number, per_page: filesOfPage })),
    }
  }
  const found = await visit.read(mergeRequestsDiffs, { ...asked, page: Number(wanted), per_page: 1 })
  if (found.items.length === 0) throw notFound('File')
  return { only: Number(wanted) - 1, ...found }
}

type FilesOfPage = Awaited<ReturnType<typeof readFiles>>

async function changedLines(shown: Shown, { only, items }: FilesOfPage, count: number): Promise<Html> {
  const { visit } = shown
  const atLines = atLinesOf(shown)
  const isSplit = visit.query.view === 'split'
  const path = withQuery(visit.path, { at: null, suggest: null, thread: null })
  const [file] = items
  if (only !== null && file) {
    return (
      <>
        <p>
          <a href={addressOfFile(visit, only)}>All changed files</a>
        </p>
        {await diffOfFile(file, { index: only, path, number: visit.number, isSplit, atLines })}
      </>
    )
  }
  const pieces = piecesOfPage(items, (visit.number - 1) * filesOfPage)
  return (
    <>
      {await fileDiffs(pieces, { isSplit, atLines })}
      <DiffPages path={path} number={visit.number} count={Math.ceil(count / filesOfPage)} />
    </>
  )
}

function Summary({ files, isCut, overflow }: { files: readonly DiffFile[]; isCut: boolean; overflow: boolean }): Html {
  const sum = (name: 'additions' | 'deletions') => files.reduce((total, file) => total + file[name], 0)
  return (
    <p class="soft changes-summary">
      {files.length.toLocaleString('en')}
      {overflow && '+'} changed {files.length === 1 ? 'file' : 'files'}{' '}
      <Counts added={sum('additions')} removed={sum('deletions')} />
      {isCut && ' Only the first 2,000 discussions are shown.'}
    </p>
  )
}

async function showChanges(visit: Visit, of: ReadRequest, versions: Versions, version: Version): Promise<Html> {
  const [threads, all, page, approvals] = await Promise.all([
    readLineThreads(visit, of, version),
    visit.read(mergeRequestsDiffFiles, { ...of.call, version_id: version.id }),
    readFiles(visit, of, version),
    visit.find(approvalsGet, of.call),
  ])
  const shown = { visit, of, versions, version, threads }
  const isNear = (index: number) =>
    page.only === null ? Math.floor(index / filesOfPage) + 1 === visit.number : index === page.only
  return (
    <div class="changes">
      <div class="diff-bar">
        <VersionMenu visit={visit} versions={versions} />
        <Summary files={all.files} isCut={threads.isCut} overflow={all.overflow} />
        <ViewTabs path={withQuery(visit.path, { at: null, suggest: null })} isSplit={visit.query.view === 'split'} />
      </div>
      <details class="tree-part" open>
        <summary>Files</summary>
        <FileTree files={all.files} hrefOf={(index) => addressOfFile(visit, index)} isNear={isNear} />
      </details>
      <div class="diff-part">
        {await changedLines(shown, page, all.files.length)}
        {threads.talk.review && (
          <ReviewBox visit={visit} of={of} review={threads.talk.review} others={[]} approvals={approvals} />
        )}
      </div>
      {threads.talk.mayComment && (
        <FormOfScript visit={visit} call={of.call} version={version} review={threads.talk.review} />
      )}
    </div>
  )
}

/** The address of the line that a thread is about, in the version in which it was written. */
async function addressOfThread(visit: Visit, { call }: ReadRequest, { versions }: Versions): Promise<string | null> {
  const { thread: id } = visit.query
  if (id === undefined) return null
  const found = (await visit.find(discussionsGet, { ...call, discussion_id: id })) as DiscussionObject | null
  const [note] = found?.notes ?? []
  const version = found && versions.find((one) => isOf(found, one))
  if (!note?.position || !version) return withQuery(visit.path, { thread: null })
  const { files } = await visit.read(mergeRequestsDiffFiles, { ...call, version_id: version.id })
  const path = note.position.new_path
  const index = Math.max(
    0,
    files.findIndex(({ new_path }) => new_path === path),
  )
  const page = Math.floor(index / filesOfPage) + 1
  const changes = { thread: null, version: version === versions[0] ? null : version.id, page: page === 1 ? null : page }
  return `${withQuery(visit.path, changes)}#note_${note.id}`
}

/** The changed lines of a merge request, with the threads on them. */
export const changes = page({
  at: 'project',
  path: 'merge_requests/:iid/diffs',
  performs: [...performedIn(requestConversation), suggestionsApply, ...draftOperations, draftNotesPublishAll],
  async show(visit) {
    const of = await readRequest(visit)
    const versions = await readVersions(visit, of)
    const redirect = await addressOfThread(visit, of, versions)
    if (redirect !== null) return { redirect }
    const { shown } = versions
    const view: Omit<View, 'body'> = {
      title: `Changes of ${of.request.title} (${of.request.reference})`,
      isBare: true,
      crumbs: requestCrumbs(visit),
    }
    const isEmpty = !shown || shown.state === 'empty'
    return {
      ...view,
      body: (
        <div>
          <RequestHead visit={visit} of={of} tab="/diffs" />
          {isEmpty ? <Empty title="No changes." /> : await showChanges(visit, of, versions, shown)}
        </div>
      ),
    }
  },
})
