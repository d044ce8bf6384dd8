import { type RenderOptions, renderMarkdown } from '../../../infra/markdown/index.ts'
import type { UploadOwner } from '../owner.ts'

const upload = /^\/uploads\/[0-9a-f]{32}\/[^/]+$/

/** Leads links and images of uploads of a project or group to their full address (contract 08, "Other parts"). */
export function uploadLinks({ kind, id }: UploadOwner): RenderOptions {
  return { resolve: (url) => (upload.test(url) ? `/-/${kind}/${id}${url}` : url) }
}

/** Renders Markdown of a project or group. */
export function renderMarkdownOf(owner: UploadOwner, text: string): string {
  return renderMarkdown(text, uploadLinks(owner))
}
