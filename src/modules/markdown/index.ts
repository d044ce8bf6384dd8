import { instance, reading, Type } from '../../api/index.ts'
import { type Module, operation } from '../../platform/index.ts'
import { markdownParams, renderFor } from './markdown.ts'

export { resolverIn } from './addresses.ts'
export { renderTexts } from './page-texts.ts'

export const markdownRender = operation({
  id: 'markdown.render',
  contract: 'x.markdown',
  method: 'POST',
  path: '/markdown',
  tag: 'Markdown',
  summary: 'Render Markdown',
  description: 'References become links only where the caller may read what they name.',
  subject: instance,
  allow: 'authenticated',
  scopes: reading,
  params: markdownParams,
  result: [201, Type.Object({ html: Type.String() }, { title: 'RenderedMarkdown' })],
  run: ({ platform, actor, params }) => renderFor(platform, actor, params),
})

/** Rendering of Markdown for callers (contract 25, "Markdown"). */
export const markdown: Module = {
  name: 'markdown',
  tags: { Markdown: 'Rendering of Markdown.' },
  operations: [markdownRender],
}
