const bundled = async (): Promise<string> => {
  const { bundledProgram } = await import(new URL('../scripts/bundle.mjs', import.meta.url).href)
  return bundledProgram()
}

/** The file that a test runs as a server or command in a process of its own: the joined sources. */
export const program: string = process.env.FENNEC_TEST_PROGRAM || (await bundled())
