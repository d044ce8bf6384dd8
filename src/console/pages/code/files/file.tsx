import { highlightedLines, languageOf } from '../../../highlighting/index.ts'
import type { Html } from '../../../html/index.ts'
import { commitsGet, filesRaw, filesUpdate } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { codeTable } from '../../../parts/code.ts'
import { CopyButton, Empty } from '../../../parts/parts.tsx'
import { size } from '../../../parts/words.ts'
import { CommitLine, FindFile } from '../pieces.tsx'
import { atPath, nameOf, type Place, placeOf, stepsTo } from '../places.ts'
import { type Contents, contentsOf } from './contents.ts'
import { isMarkdown, proseOf } from './prose.tsx'

/** Types of pictures, none of which runs anything in an `<img>`. */
const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}
const pictureOf = (path: string) => pictures[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]

/** The bytes of a file; those of its object for a pointer of git LFS. */
export const raw = page({
  at: 'project',
  path: 'raw/*where',
  async show(visit) {
    const { ref, path } = await placeOf(visit, visit.params.where)
    const file = await visit.read(filesRaw, { id: visit.project.id, file_path: path, ref, lfs: true })
    const type = pictureOf(path)
    return { file: type ? { ...file, headers: { ...file.headers, 'Content-Type': type } } : file }
  },
})

type Shown = { visit: Visit; place: Place; contents: Contents }

/** What is shown instead of a text. */
function NoText({ visit, place: { ref, path }, contents }: Shown) {
  const href = atPath(visit, 'raw', ref, path)
  if (pictureOf(path) && !contents.lfs) {
    return (
      <p class="picture">
        <img src={href} alt={nameOf(path)} />
      </p>
    )
  }
  return (
    <Empty title={contents.lfs ? 'Stored with git LFS.' : 'A binary file.'}>
      <p>
        <a href={href} download>
          Download {size(contents.lfs?.sizeBytes ?? contents.sizeBytes)}
        </a>
      </p>
      {contents.lfs && <p class="sha">sha256:{contents.lfs.oid}</p>}
    </Empty>
  )
}

async function bodyOf(shown: Shown, isRendered: boolean): Promise<Html> {
  const { visit, place, contents } = shown
  const { text, lfs } = contents
  if (text === null || lfs || (isRendered && pictureOf(place.path))) return NoText(shown)
  if (text === '') return <p class="quiet-note">The file is empty.</p>
  if (isRendered) return <div class="prose">{proseOf(visit, place, text)}</div>
  const language = languageOf(place.path, text)
  const [lines = []] = await highlightedLines([{ text: text.replace(/\n$/, ''), language }])
  return (
    <section class="scroll" tabindex={0} aria-label={nameOf(place.path)}>
      {codeTable(lines)}
    </section>
  )
}

function Facts({ contents: { sizeBytes, lines, text, isCut, isExecutable, lfs }, visit, place }: Shown) {
  return (
    <p class="quiet-note">
      {size(lfs?.sizeBytes ?? sizeBytes)}
      {lfs && ' with git LFS'}
      {text !== null && !lfs && ` · ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`}
      {isExecutable && ' · executable'}
      {isCut && (
        <>
          {' '}
          · <b>Only the beginning is shown.</b> <a href={atPath(visit, 'raw', place.ref, place.path)}>The whole file</a>
        </>
      )}
      <CopyButton text={place.path} label="the path" />
    </p>
  )
}

function Actions({
  visit,
  place: { ref, path, head },
  contents,
  isRendered,
  mayWrite,
}: Shown & { isRendered: boolean; mayWrite: boolean }) {
  const links = [
    ['blame', 'Blame'],
    ['commits', 'History'],
    ['raw', 'Raw'],
  ] as const
  const hasSource = contents.text !== null && (isMarkdown(path) || pictureOf(path) !== undefined)
  return (
    <>
      {hasSource && (
        <a class="button" href={isRendered ? '?plain=1' : '?'}>
          {isRendered ? 'Source' : 'Rendered'}
        </a>
      )}
      <FindFile visit={visit} ref={ref} />
      {links.map(([name, label]) => (
        <a class="button" href={atPath(visit, name, ref, path)}>
          {label}
        </a>
      ))}
      <a
        class="button"
        href={atPath(visit, 'blob', head.id, path)}
        data-key="y"
        title="The address of this version (y)"
      >
        Permalink
      </a>
      {mayWrite && contents.isEditable && !contents.lfs && (
        <a class="button" href={atPath(visit, 'edit', ref, path)}>
          Edit
        </a>
      )}
      {mayWrite && (
        <a class="button danger" href={atPath(visit, 'delete', ref, path)}>
          Delete
        </a>
      )}
    </>
  )
}

/** A file, with colours, or as prose or picture. */
export const blob = page({
  at: 'project',
  path: 'blob/*where',
  under: 'tree',
  async show(visit) {
    const place = await placeOf(visit, visit.params.where)
    const { id } = visit.project
    const contents = await contentsOf(visit, place)
    const isRendered =
      (isMarkdown(place.path) || pictureOf(place.path) !== undefined) && visit.query.plain === undefined
    const shown = { visit, place, contents }
    const [commit, body, mayWrite] = await Promise.all([
      visit.find(commitsGet, { id, sha: contents.lastCommitId, stats: false }),
      bodyOf(shown, isRendered),
      visit.may(filesUpdate, { id, file_path: place.path }),
    ])
    const isAtBranch = mayWrite && place.ref !== place.head.id
    return {
      title: nameOf(place.path),
      crumbs: stepsTo(visit, place).slice(0, -1),
      actions: <Actions {...shown} isRendered={isRendered} mayWrite={isAtBranch} />,
      body: (
        <div class="panel">
          {commit && <CommitLine visit={visit} commit={commit} />}
          <Facts {...shown} />
          {body}
        </div>
      ),
    }
  },
})
