import { highlightedLines, languageOf } from '../../../highlighting/index.ts'
import { filesBlame } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { codeTable } from '../../../parts/code.ts'
import { Empty, Pages, Time } from '../../../parts/parts.tsx'
import { at, atPath, nameOf, placeOf, stepsTo } from '../places.ts'
import { contentsOf } from './contents.ts'

const linesOfPage = 1_000

/** Who changed each line of a file last. */
export const blame = page({
  at: 'project',
  path: 'blame/*where',
  under: 'tree',
  async show(visit) {
    const place = await placeOf(visit, visit.params.where)
    const { ref, path } = place
    const { lines: count, text } = await contentsOf(visit, place)
    const range = { start: (visit.number - 1) * linesOfPage + 1, end: visit.number * linesOfPage }
    const call = { id: visit.project.id, file_path: path, ref, range }
    const parts = text ? await visit.read(filesBlame, call) : []
    const code = parts.flatMap(({ lines }) => lines).join('\n')
    const [lines = []] = await highlightedLines([{ text: code, language: languageOf(path, code) }])
    const authors = parts.flatMap(({ commit, lines }) =>
      lines.map((_, index) => (
        <td class="who">
          {index === 0 && (
            <a href={at(visit, `commit/${commit.id}`)} title={commit.message.split('\n', 1)[0]}>
              <span class="ellipsis">{commit.author_name}</span> <Time at={commit.authored_date} />
            </a>
          )}
        </td>
      )),
    )
    return {
      title: nameOf(path),
      crumbs: stepsTo(visit, place).slice(0, -1),
      actions: (
        <>
          <a class="button" href={atPath(visit, 'blob', ref, path)}>
            File
          </a>
          <a class="button" href={atPath(visit, 'commits', ref, path)}>
            History
          </a>
        </>
      ),
      body:
        parts.length === 0 ? (
          <Empty title="No lines of text." />
        ) : (
          <div>
            <div class="panel">
              <section class="scroll blame" tabindex={0} aria-label={`Blame of ${path}`}>
                {codeTable(lines, range.start, authors)}
              </section>
            </div>
            <Pages path={visit.path} page={visit.number} of={{ items: parts, hasNext: count > range.end }} />
          </div>
        ),
    }
  },
})
