import type { Operation } from '../../operation/operation.ts'
import type { BodyLimits } from './body.ts'

/**
 * The limits of a body for an operation: its own where it has some, else those of all operations.
 * @param path the parameters of the path
 */
export async function limitsOf(
  // biome-ignore lint/suspicious/noExplicitAny: an operation is of its own platform
  { bodyLimits, platform }: { bodyLimits: BodyLimits; platform?: any },
  { largestFileBytes, largestBodyBytes, fileTooLarge }: Operation,
  path: Readonly<Record<string, string>>,
): Promise<BodyLimits> {
  if (!largestFileBytes && !largestBodyBytes) return bodyLimits
  const { multipart } = bodyLimits
  const fileBytes = (await largestFileBytes?.(platform, path)) ?? multipart.fileBytes
  const fieldBytes = largestBodyBytes ?? multipart.fieldBytes
  const bodyBytes = largestBodyBytes ?? bodyLimits.bodyBytes
  return {
    ...bodyLimits,
    bodyBytes,
    multipart: { ...multipart, fileBytes, fieldBytes, ...(fileTooLarge && { tooLarge: fileTooLarge }) },
  }
}
