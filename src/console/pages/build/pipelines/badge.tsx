import { notFound } from '../../../../api/index.ts'
import { pipelinesLatest } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Copy } from '../../../parts/parts.tsx'
import { at, pathOf } from '../../code/places.ts'

const colours: Readonly<Record<string, string>> = {
  success: '#26703f',
  failed: '#b3261e',
  running: '#8a5a00',
  pending: '#8a5a00',
}

/** A small picture of two words. Widths are those of a common font. */
function picture(label: string, value: string, colour: string): string {
  const widthOf = (text: string) => Math.round(text.length * 6.6) + 12
  const [left, right] = [widthOf(label), widthOf(value)]
  const text = 'font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" fill="#fff" text-anchor="middle"'
  const box = (x: number, width: number, fill: string) => `<rect x="${x}" width="${width}" height="20" fill="${fill}"/>`
  const word = (x: number, one: string) => `<text x="${x}" y="14">${one}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${value}">`,
    `<title>${label}: ${value}</title>${box(0, left, '#4a4339')}${box(left, right, colour)}`,
    `<g ${text}>${word(left / 2, label)}${word(left + right / 2, value)}</g></svg>`,
  ].join('')
}

function coveragePicture(coverage: string | null): string {
  const part = coverage === null ? null : Number(coverage)
  const colour = part === null ? '#6a6259' : part >= 90 ? '#26703f' : part >= 75 ? '#8a5a00' : '#b3261e'
  return picture('coverage', part === null ? 'unknown' : `${part.toFixed(2)}%`, colour)
}

/** The badges of a branch or tag: the status of its newest pipeline, and the coverage. */
export const badge = page({
  at: 'project',
  path: 'badges/*name',
  async show(visit) {
    const [, ref = '', kind = ''] = /^(.+)\/(pipeline|coverage)\.svg$/.exec(visit.params.name ?? '') ?? []
    if (ref === '') throw notFound('Page')
    const latest = await visit.find(pipelinesLatest, { id: visit.project.id, ref })
    const status = latest?.status.replaceAll('_', ' ') ?? 'unknown'
    const body =
      kind === 'coverage'
        ? coveragePicture(latest?.coverage ?? null)
        : picture('pipeline', status === 'success' ? 'passed' : status, colours[status] ?? '#6a6259')
    return { file: { headers: { 'Content-Type': 'image/svg+xml; charset=utf-8' }, body } }
  },
})

/** The badges of a branch, with their Markdown to copy. */
export function Badges({ visit, ref }: { visit: Visit; ref: string }) {
  const { web_url: address, path_with_namespace: path } = visit.project
  const base = address.slice(0, -path.length - 1)
  return (
    <details class="more badges">
      <summary>Badges</summary>
      {['pipeline', 'coverage'].map((kind) => {
        const source = at(visit, `badges/${pathOf(ref)}/${kind}.svg`)
        const target = `${at(visit, 'pipelines')}?ref=${encodeURIComponent(ref)}`
        return (
          <div>
            <img src={source} alt={`${kind} of ${ref}`} height={20} />
            <Copy text={`[![${kind}](${base}${source})](${base}${target})`} label={`Markdown of the ${kind} badge`} />
          </div>
        )
      })}
    </details>
  )
}
