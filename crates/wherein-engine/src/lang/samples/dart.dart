library shop;

import 'dart:async';

/// Longest basket we accept.
const int maxLines = 40;
final Duration timeout = Duration(seconds: 3);
var opened = 0;

typedef LineTest = bool Function(Line line);

/// One line of a basket.
class Line {
  final String sku;
  int count = 1;

  const Line(this.sku);
  Line.twice(this.sku) : count = 2;
  factory Line.parse(String text) => Line(text);

  bool get many => count > 1;
  set amount(int v) => count = v;

  @override
  String toString() {
    var local = sku;
    return '$local x $count';
  }
}

abstract class Basket<T extends Line> extends Object with Totals implements Comparable<Basket> {
  static const empty = 0;
  final List<T> _lines = [];

  void add(T line);

  Future<int> total({int tax = 0}) async {
    int inner(int x) => x + tax;
    return inner(_lines.length);
  }

  int operator [](int i) => i;
}

mixin Totals {
  double sum() => 0.0;
}

enum Size { small, large }

extension LineMath on Line {
  int doubled() => count * 2;
}

/// Entry point.
void main(List<String> args) {
  print(maxLines);
}

int get openCount => opened;
