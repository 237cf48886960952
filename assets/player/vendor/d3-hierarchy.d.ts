// What of d3-hierarchy 3.1.3 (ISC) is used here. d3-hierarchy.js is lines 1, 87 to 319 and 898 to 1133 of its
// dist/d3-hierarchy.mjs, unchanged but for the two exports.

export interface HierarchyNode<Data> {
  data: Data;
  depth: number;
  x: number;
  y: number;
  eachBefore(each: (node: HierarchyNode<Data>) => void): void;
}

export interface TreeLayout {
  <Data>(root: HierarchyNode<Data>): HierarchyNode<Data>;
  nodeSize(size: [number, number]): TreeLayout;
  separation(separation: () => number): TreeLayout;
}

export declare function hierarchy<Data>(data: Data, children: (data: Data) => Data[]): HierarchyNode<Data>;
export declare function tree(): TreeLayout;
