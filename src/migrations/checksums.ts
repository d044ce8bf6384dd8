/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '700a0c301434785eb76235d558b6e78963742270e50670fdb192f6ebd8b53cfa',
    postgres: '44b098a2327eb2821033134e90bb4a60da88c309564ef37b5517bb87b28e68a9',
  },
} as const
