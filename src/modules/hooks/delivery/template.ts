/** A template that does not give JSON for a payload. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

/**
 * Fills `{{a.b}}` with members of the payload (contract 21, custom_webhook_template): texts without quotes, so that they can
 * stand inside others; what is missing is null.
 * @throws TemplateError when the result is not JSON
 */
export function renderTemplate(template: string, payload: unknown): string {
  const filled = template.replace(/\{\{([^{}]+)\}\}/g, (_, path: string) => {
    const value = path.trim().split('.').reduce(memberOf, payload) ?? null
    const json = JSON.stringify(value)
    return typeof value === 'string' ? json.slice(1, -1) : json
  })
  try {
    return JSON.stringify(JSON.parse(filled))
  } catch {
    throw new TemplateError('Error while parsing rendered custom webhook template')
  }
}
